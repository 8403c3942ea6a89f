"""Files of estimators: the same estimator comes back, and other files are refused."""

import json
import zipfile

import numpy as np
import pytest
from every_estimator import X, names, numbers
from sklearn.tree import DecisionTreeClassifier

import rrmlinear as rrm


@pytest.fixture
def saved(tmp_path):
    path = tmp_path / "model.rrm"
    rrm.WestonWatkinsSVC().fit(X, names).save(path)
    return path


def changed(path, **facts):
    with zipfile.ZipFile(path) as archive:
        files = {name: archive.read(name) for name in archive.namelist()}
    files["state.json"] = json.dumps(json.loads(files["state.json"]) | facts).encode()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in files.items():
            archive.writestr(name, data)


def test_files_are_the_same_bytes_and_need_no_code_of_ours(saved, tmp_path):
    rrm.WestonWatkinsSVC.load(saved).save(tmp_path / "again.rrm")
    assert (tmp_path / "again.rrm").read_bytes() == saved.read_bytes()
    with zipfile.ZipFile(saved) as archive:
        head = json.loads(archive.read("state.json"))
        assert (head["format"], head["version"]) == ("rrmlinear estimator", 1)
        place = head["state"]["items" if "items" in head["state"] else "state"]["coef_"]["file"]
        with archive.open(place) as file:
            coef = np.load(file, allow_pickle=False)
    np.testing.assert_array_equal(coef, rrm.WestonWatkinsSVC.load(saved).coef_)


def test_another_class_says_who_reads_it(saved):
    with pytest.raises(ValueError, match=r"holds a WestonWatkinsSVC: WestonWatkinsSVC\.load reads"):
        rrm.LinearSVC.load(saved)


def test_other_files_and_versions_are_refused(saved, tmp_path):
    changed(saved, version=2, written_by="9.0")
    with pytest.raises(ValueError, match=r"version 2 of its format, written by rrmlinear 9\.0"):
        rrm.WestonWatkinsSVC.load(saved)
    changed(saved, format="another")
    with pytest.raises(ValueError, match=r"model\.rrm is no file of an estimator"):
        rrm.WestonWatkinsSVC.load(saved)
    (tmp_path / "text").write_text("solver_type MCSVM_WW\n")
    with pytest.raises(ValueError, match="text is no file of an estimator, or damaged"):
        rrm.WestonWatkinsSVC.load(tmp_path / "text")


def test_damage_is_found(saved, tmp_path):
    whole = saved.read_bytes()
    rng = np.random.default_rng(0)
    for at in rng.integers(len(whole), size=60):
        part = bytearray(whole)
        part[at] ^= 1 << rng.integers(8)
        (tmp_path / "damaged").write_bytes(part)
        try:
            found = rrm.WestonWatkinsSVC.load(tmp_path / "damaged")
        except ValueError:
            continue
        # a bit of the archive's dates and the like: what is read is whole
        np.testing.assert_array_equal(found.coef_, rrm.WestonWatkinsSVC.load(saved).coef_)
    for length in rng.integers(len(whole), size=10):
        (tmp_path / "damaged").write_bytes(whole[:length])
        with pytest.raises(ValueError, match="damaged"):
            rrm.WestonWatkinsSVC.load(tmp_path / "damaged")


def test_types_that_skops_does_not_know_are_named(tmp_path):
    pytest.importorskip("skops")
    trees = rrm.ERLPBoostClassifier(DecisionTreeClassifier(max_depth=1))
    expected = trees.fit(X, names == names[0]).predict(X)
    trees.save(tmp_path / "trees")
    with pytest.raises(ValueError, match=r"load it with trusted=\['sklearn\.tree\._tree\.Tree'\]"):
        rrm.ERLPBoostClassifier.load(tmp_path / "trees")
    kept = rrm.ERLPBoostClassifier.load(tmp_path / "trees", trusted=["sklearn.tree._tree.Tree"])
    assert (kept.predict(X) == expected).all()


def test_functions_are_refused_and_the_old_file_stays(saved):
    before = saved.read_bytes()
    model = rrm.Lasso(callback=print).fit(X, numbers)
    with pytest.raises(ValueError, match="callback is <built-in function print>, which a file of"):
        model.save(saved)
    assert saved.read_bytes() == before
