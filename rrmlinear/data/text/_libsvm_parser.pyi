from rrmlinear.data.text._example_arrays import Block, ExampleArrays

PADDING: int

def count_marks(text: bytearray, end: int) -> tuple[int, int]: ...

class Arrays(ExampleArrays):
    def parse(self, text: bytearray, end: int, block: Block) -> None: ...
