"""The commands on files of examples with any number of labels."""
