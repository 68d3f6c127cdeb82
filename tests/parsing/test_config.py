"""Configurations: what is written is what is meant, and a wrong key is an error that names it."""

import pytest

from arclift.errors import InputError, UsageError
from arclift.parsing import preset_config, read_config

CLASSIC = preset_config("classic")


def test_a_file_changes_what_it_says_and_nothing_else(tmp_path):
    path = tmp_path / "parser.toml"
    path.write_text(
        '[parser]\nfamily = "transition"\n[system]\nname = "attardi"\ndegree = 2\n[training]\nepochs = 3\n',
        encoding="utf-8",
    )
    config = read_config(str(path))
    assert (config.system.name, config.system.settings, config.training.epochs) == (
        "attardi",
        {"degree": 2},
        3,
    )
    assert config.learner == CLASSIC.learner


def test_a_configuration_survives_its_own_tables():
    config = CLASSIC.set(
        ["learner.name=mlp", "learner.hidden=[64]", "lifting.scheme=path", "training.seed=9"]
    )
    assert preset_config("fast").changed(config.as_dict()) == config
    assert config.learner.settings == {"hidden": [64]}


def test_tables_of_the_other_family_are_refused():
    with pytest.raises(
        UsageError, match="graph is no table of a transition parser: its tables are parser, system"
    ):
        CLASSIC.set(["graph.state=32"])
    with pytest.raises(UsageError, match="lifting is no table of a graph parser"):
        preset_config("fast").set(["lifting.scheme=head"])


def test_another_system_forgets_the_settings_of_the_first():
    config = CLASSIC.set(["system.root=first"]).set(["system.name=attardi"])
    assert config.system.settings == {}


@pytest.mark.parametrize(
    ("assignment", "message"),
    [
        ("training.epoch=3", "no key 'epoch' in the table training; there are epochs, patience, seed"),
        ("trainig.epochs=3", "no table 'trainig'"),
        ("training.epochs=many", "training.epochs is of type int, not str: 'many'"),
        ("training.epochs=0", "at least 1"),
        ("lifting.scheme=headpath", "lifting.scheme is one of none, baseline, head"),
        ("epochs=3", "write table.key=value"),
        ("training.epochs", "write table.key=value"),
    ],
)
def test_wrong_keys_and_values_are_named(assignment, message):
    with pytest.raises(UsageError, match=message.replace("+", r"\+")):
        CLASSIC.set([assignment])


def test_files_that_are_no_toml_are_refused(tmp_path):
    (tmp_path / "a.toml").write_text("[system\n", encoding="utf-8")
    with pytest.raises(InputError, match="no TOML"):
        read_config(str(tmp_path / "a.toml"))
    with pytest.raises(InputError, match="cannot be read"):
        read_config(str(tmp_path / "none.toml"))
    with pytest.raises(UsageError, match="is a table"):
        CLASSIC.changed({"system": 3})
