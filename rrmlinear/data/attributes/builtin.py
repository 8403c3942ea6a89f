"""Templates that have a name."""

from __future__ import annotations

#: Templates by name, in the language of `templates`.
BUILTIN = {
    # The attributes of CRFsuite's tutorial on CoNLL 2000.
    "chunking": """\
columns word pos
word[-2..2]
word[-1..1] by 2
pos[-2..2]
pos[-2..2] by 2
pos[-2..2] by 3
begin
end
""",
    "tagging": """\
columns word
word[-2..2]
word[-1..1] by 2
word.lower[0]
word.prefix1[0]
word.prefix2[0]
word.prefix3[0]
word.prefix4[0]
word.suffix1[0]
word.suffix2[0]
word.suffix3[0]
word.suffix4[0]
word.shape[-1..1]
begin
end
""",
    # The tags of Universal Dependencies.
    "upos": """\
format conllu
label upos
columns form
form[-2..2]
form[-1..1] by 2
form.lower[0]
form.prefix2[0]
form.prefix3[0]
form.suffix1[0]
form.suffix2[0]
form.suffix3[0]
form.suffix4[0]
form.shape[-1..1]
begin
end
""",
    "names": """\
columns word pos chunk
word[-2..2]
word[-1..1] by 2
word.lower[-1..1]
word.prefix2[0]
word.prefix3[0]
word.prefix4[0]
word.suffix2[0]
word.suffix3[0]
word.suffix4[0]
word.shape[-2..2]
word.shape[-1..1] by 2
pos[-2..2]
pos[-1..1] by 2
chunk[-1..1]
begin
end
""",
}
