class Memory:
    """Bytes that grow; numpy.frombuffer makes an array over them."""
