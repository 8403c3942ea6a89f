"""Examples in one binary file, mapped or read block by block: its layout, checksums and writer, and
the sources that are converted to it.
"""
