"""Random texts like LIBSVM's, broken in random places, and compressed archives of them."""

from __future__ import annotations

import bz2
import gzip
import lzma
import random

LABELS = ["1", "-1", "+1", "0", "2.5", "1e3", "3,4", "nan", "inf", "-0", "0x1p2", "a", "1e400"]
INDICES = ["1", "2", "3", "4", "7", "07", "+5", "-1", "0", "12345678", "123456789", "2147483647"]
INDICES += ["2147483648", "2147483649", "4294967297", "9223372036854775806", "9223372036854775807"]
INDICES += ["9223372036854775808", "99999999999999999999", "", "x", "1.5", "1 2", "\v3"]
VALUES = ["1", "0", "-1", "+2", ".5", "5.", "-.25", ".", "-", "", "1e5", "1e", "1e+", "1e-320"]
VALUES += [
    "1e400",
    "nan",
    "-inf",
    "infinity",
    "nan(12)",
    "0x1f.8p-3",
    "0x",
    "0x.p1",
    "1e22",
    "1e23",
]
VALUES += [
    "9007199254740993",
    "123456789012345678901234567890",
    "0.1000000000000000055511151231257",
]
VALUES += ["2.2250738585072011e-308", "2.2250738585072014e-308", "0x1p-1074", "0x1p-1075", "0e-999"]
VALUES += [
    "1\v2",
    "1\v",
    "1\rx",
    "1\r2 1:3",
    "1#",
    "1:2",
    "3.4028235e38",
    "3.4028236e38",
    "4e38",
    "1.7976931348623159e308",
]
BETWEEN = [
    " ",
    " ",
    " ",
    " ",
    "\t",
    "  ",
    " \t",
    " : ",
    " ::",
    " #",
    " # a:b ",
    " qid:3 ",
    " 5 ",
    " 1=3 ",
    "\r",
    "\r1 ",
    "\v",
]
ENDS = ["\n", "\n", "\n", "\n", "\r\n", " \n", "\n\n", " # c: d\n", " x\n", "\t\r\n", "", "\r"]
ENDS += [" 7\n", " 7\r\n", "\r\r\n", " # c\rd\n"]
BYTES = b"0123456789+-.:eExX #\t\r\n\v\0qid:naf\xff"


def random_number(chance: random.Random) -> str:
    """A finite decimal of any shape."""
    shape = chance.randrange(4)
    if shape == 0:
        return repr(chance.uniform(-1, 1))
    if shape == 1:
        return f"{chance.gauss(0, 1):.{chance.randrange(1, 25)}g}"
    digits = "".join(chance.choice("0123456789") for _ in range(chance.randrange(1, 30)))
    point = chance.randrange(len(digits) + 1)
    text = chance.choice(["", "-", "+"]) + digits[:point] + "." + digits[point:]
    bound = chance.choice([30, 30, 30, 330])
    return text + (f"e{chance.randrange(-bound, bound)}" if shape == 3 else "")


def random_line(chance: random.Random, odd: float) -> str:
    """One line, with more unusual parts for larger ``odd``."""

    def pick(usual: str, unusual: list[str]) -> str:
        return chance.choice(unusual) if chance.random() < odd else usual

    parts = [pick(chance.choice(["1", "-1", "2.5"]), LABELS)]
    if chance.random() < 0.05:
        parts.append(f" qid:{chance.randrange(9)}")
    index = 0
    for _ in range(chance.randrange(6)):
        index += chance.randrange(1, 4)
        parts.append(pick(" ", BETWEEN))
        parts.append(pick(str(index), INDICES) + pick(":", ["", "::", ": ", " :"]))
        parts.append(pick(random_number(chance), VALUES))
    return "".join(parts) + pick("\n", ENDS)


def random_text(chance: random.Random) -> bytes:
    """A few lines, often with bytes changed, put in, left out or repeated."""
    odd = chance.choice([0.0, 0.01, 0.05, 0.4])
    text = bytearray(
        "".join(random_line(chance, odd) for _ in range(chance.randrange(6))), "latin1"
    )
    for _ in range(chance.choice([0, 0, 0, 0, 0, 1, 2, 5])):
        at = chance.randrange(len(text) + 1)
        change = chance.randrange(4)
        if change == 0:
            text[at : at + 1] = bytes([chance.choice(BYTES)])
        elif change == 1:
            text[at:at] = bytes([chance.choice(BYTES)])
        elif change == 2:
            del text[at : at + chance.randrange(1, 8)]
        else:
            text[at:at] = text[at : at + chance.randrange(1, 20)]
    return bytes(text)


def random_archive(chance: random.Random) -> tuple[list[bytes], list[bytes], bytes]:
    """(texts, each compressed to a member, the members one behind the other, mostly damaged)."""
    compress = chance.choice([gzip.compress, bz2.compress, lzma.compress])
    texts = [
        b"".join(b"%d 1:%d.5\n" % (chance.randrange(3), chance.randrange(99)) for _ in range(count))
        for count in (chance.randrange(1, 60) for _ in range(chance.randrange(1, 4)))
    ]
    members = [compress(text) for text in texts]
    archive = bytearray(b"".join(members))
    at, change = chance.randrange(len(archive)), chance.randrange(8)
    if change == 0:
        archive[at] ^= chance.randrange(1, 256)
    elif change == 1:
        del archive[at:]
    elif change == 2:
        del archive[at : at + chance.randrange(1, 40)]
    elif change == 3:
        archive[at:at] = chance.randbytes(chance.randrange(1, 9))
    elif change == 4:
        archive += chance.choice([b"1 1:1\n", b"\n", b"x", members[0][:at][:-1], b"\r"])
    elif change == 5:
        end = chance.randrange(len(members) + 1)
        archive[:] = b"".join(members[:end]) + texts[0] + b"".join(members[end:])
    elif change == 6:
        archive[at : at + 8] = bytes(8)
    return texts, members, bytes(archive)
