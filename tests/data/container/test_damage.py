"""Files cut off or altered anywhere are refused, with the block's number where there is one."""

import struct
from dataclasses import replace

import numpy as np
import pytest
from xxhash import xxh64_intdigest

from rrmlinear import Problem
from rrmlinear.data.container.conversion import convert
from rrmlinear.data.container.layout import PAGE, ContainerError
from rrmlinear.data.container.opening import open_container
from rrmlinear.data.container.writing import write_container
from rrmlinear.data.formats.opening import examples_of


@pytest.fixture(scope="module")
def whole(tmp_path_factory, made):
    path = tmp_path_factory.mktemp("whole") / "p.rrm"
    write_container(path, made(weights=True, qid=True), block_bytes=3000)
    return path


def places_of(path):
    """Section by section the first, the last and some bytes between, and its items' size."""
    mapped = open_container(path)
    rng = np.random.default_rng(0)
    for each in mapped.header.sections:
        inner = rng.integers(each.begin, each.end, 40).tolist()
        yield each, [each.begin, each.end - 1, *inner]


def test_a_changed_byte_of_an_array_is_found_in_its_block(whole, tmp_path):
    data = bytearray(whole.read_bytes())
    mapped = open_container(whole)
    assert mapped.header.n_blocks > 4
    altered = tmp_path / "altered.rrm"
    for section, places in places_of(whole):
        by_value = section.name in ("values", "indices")
        ends = mapped.table["stored" if by_value else "examples"]
        for place in places:
            data[place] ^= 0x10
            altered.write_bytes(data)
            data[place] ^= 0x10
            item = (place - section.begin) // section.dtype.itemsize - (section.name == "indptr")
            with pytest.raises(ContainerError, match="damaged") as caught:
                Problem.open(altered, verify=True)
            block = int(np.searchsorted(ends, max(item, 0), side="right")) + 1
            assert caught.value.block == block or (section.name == "indptr" and item == -1)
            assert str(caught.value.block) in str(caught.value)


def test_a_changed_byte_of_header_or_table_is_found_at_opening(whole, tmp_path):
    header = open_container(whole).header
    data = bytearray(whole.read_bytes())
    altered = tmp_path / "altered.rrm"
    table = range(header.table_begin, header.table_begin + header.table_bytes)
    for place in [*range(0, 500, 3), PAGE - 1, *table]:
        data[place] ^= 0x01
        altered.write_bytes(data)
        data[place] ^= 0x01
        with pytest.raises(ContainerError):
            Problem.open(altered)


def test_a_file_cut_off_names_the_block(whole, tmp_path):
    data = whole.read_bytes()
    header = open_container(whole).header
    cut = tmp_path / "cut.rrm"
    for size in [0, 5, 100, PAGE - 1, PAGE, *range(PAGE + 1, len(data), 997), len(data) - 1]:
        cut.write_bytes(data[:size])
        with pytest.raises(ContainerError) as caught:
            Problem.open(cut)
        if size >= header.table_begin + header.table_bytes:
            assert 1 <= caught.value.block <= header.n_blocks
            assert f"cut off in block {caught.value.block} of" in str(caught.value)
    cut.write_bytes(data + b"more")
    with pytest.raises(ContainerError, match="altered"):
        Problem.open(cut)


def test_the_block_of_a_cut_is_that_of_its_array(whole, tmp_path):
    mapped = open_container(whole)
    values = mapped.header.section("values")
    cut = tmp_path / "cut.rrm"
    for block in range(mapped.header.n_blocks):
        _, _, begin, end = mapped.bounds(block)
        if begin < end:
            cut.write_bytes(whole.read_bytes()[: values.begin + 8 * end - 1])
            with pytest.raises(ContainerError, match=f"block {block + 1} of .* its values"):
                Problem.open(cut)


def test_rows_that_no_matrix_has_are_refused_though_their_checksums_are_right(tmp_path, made):
    """A file of another writer: an index beyond the features, which no kernel may see."""
    from rrmlinear.data.container.pieces import pieces_of
    from rrmlinear.data.container.writing import container_file

    with container_file(tmp_path / "p.rrm") as writer:
        for piece in pieces_of(made()):
            writer.add(piece)
        writer.finish(10)
    with pytest.raises(ContainerError, match="block 1 of 1"):
        Problem.open(tmp_path / "p.rrm", verify=True)


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({"file_size": 1}, "cut off behind its arrays: it has"),
        ({"file_size": 2**62}, "cut off behind its arrays: it has"),
        ({"file_size": 2**62, "n_blocks": 2**50}, "not the table that tells in which block"),
    ],
)
def test_a_header_with_a_wrong_size_and_a_right_checksum(whole, tmp_path, more, words):
    header = open_container(whole).header
    more = more | {"file_size": header.file_size + more["file_size"]}
    altered = tmp_path / "altered.rrm"
    altered.write_bytes(replace(header, **more).pack() + whole.read_bytes()[PAGE:])
    with pytest.raises(ContainerError, match=words):
        Problem.open(altered)


def test_ends_whose_differences_wrap_around_are_refused(whole, tmp_path):
    """A file of another writer: ends far outside, that rise by differences of 64 bits."""
    mapped = open_container(whole)
    ends = mapped.table.copy()
    ends["examples"][:2] = 2**62 + 5, -(2**62)
    table, data = ends.tobytes(), bytearray(whole.read_bytes())
    begin = mapped.header.table_begin
    data[begin : begin + len(table)] = table
    data[:PAGE] = replace(mapped.header, table_checksum=xxh64_intdigest(table)).pack()
    (tmp_path / "p.rrm").write_bytes(data)
    with pytest.raises(ContainerError, match="table of blocks does not fit"):
        Problem.open(tmp_path / "p.rrm")


def test_examples_alone_are_verified_with_the_blocks_that_hold_them(whole, tmp_path):
    data = bytearray(whole.read_bytes())
    mapped = open_container(whole)
    block = mapped.header.n_blocks - 2
    first, last, begin, _ = mapped.bounds(block)
    data[mapped.header.section("values").begin + 8 * begin] ^= 1
    (tmp_path / "p.rrm").write_bytes(data)
    altered = open_container(tmp_path / "p.rrm")
    altered.verify_labels()
    for sound in ((0, first), (last, mapped.header.n_examples)):
        altered.verify(*sound)
    for damaged in ((0, first + 1), (last - 1, last), (first + 1, first + 2), (0, None)):
        with pytest.raises(ContainerError, match=f"block {block + 1} of"):
            altered.verify(*damaged)
    data[mapped.header.section("labels").begin + 8 * first] ^= 1
    (tmp_path / "p.rrm").write_bytes(data)
    with pytest.raises(ContainerError, match=f"block {block + 1} of .* labels"):
        open_container(tmp_path / "p.rrm").verify_labels()


def test_a_conversion_of_a_damaged_container_leaves_nothing(whole, tmp_path):
    data = bytearray(whole.read_bytes())
    data[open_container(whole).header.section("labels").end - 1] ^= 1
    (tmp_path / "p.rrm").write_bytes(data)
    for target in ("q.rrm", "q.libsvm"):
        with pytest.raises(ContainerError, match="block"):
            convert(examples_of(tmp_path / "p.rrm"), tmp_path / target, block_bytes=500)
    assert [path.name for path in tmp_path.iterdir()] == ["p.rrm"]


def test_a_container_of_another_version_is_refused_by_its_number(whole, tmp_path):
    data = bytearray(whole.read_bytes())
    data[8:12] = struct.pack("<I", 2)
    (tmp_path / "p.rrm").write_bytes(data)
    with pytest.raises(ContainerError, match="has version 2 of the container's format; version 1"):
        Problem.open(tmp_path / "p.rrm")
    with pytest.raises(ContainerError, match="version 2"):
        convert(examples_of(tmp_path / "p.rrm"), tmp_path / "q.rrm")
    assert [path.name for path in tmp_path.iterdir()] == ["p.rrm"]


def test_a_folder_is_no_container(tmp_path):
    with pytest.raises(ValueError, match=r"the folder .* has no files"):
        Problem.open(tmp_path)
    with pytest.raises(IsADirectoryError):
        convert(examples_of(tmp_path), tmp_path / "p.rrm")
    (tmp_path / "p.rrm").mkdir()
    with pytest.raises(ValueError, match=r"p\.rrm is no regular file"):
        write_container(tmp_path / "p.rrm", Problem.from_arrays(np.eye(1), [1.0]))
