"""Text to numbers and back: LIBSVM files, compressed streams, numbers of model files. The reader's
character loops are C++; files are read by blocks of whole lines and written whole or not at all.
"""
