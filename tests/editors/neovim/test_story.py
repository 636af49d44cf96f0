"""A person with an interrupted run, in a real Neovim: from the page as it opens to a run killed from outside."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.needs("nvim")


def titles(shown):
    return [lens["title"] for lens in shown["lenses"]]


def labels(shown):
    return [hint["label"].strip() for hint in shown["hints"]]


def test_the_story_of_a_run_on_the_page(headless, project):
    run_id = project.interrupted_run()
    found = headless("story.lua", project.program, RUN_ID=run_id, PAYMENTS_DELAY="60")
    import pathlib; import json as j; pathlib.Path("/tmp/nvimdev/found.json").write_text(j.dumps(found, indent=1, ensure_ascii=False))
    assert "failure" not in found, found
    opens(found, run_id)
    resumes(found, run_id)


def opens(found, run_id):
    assert found["client"]["filetype"] == "agentl"
    assert [(item["code"], item["source"]) for item in found["diagnostics"]] == [("D201", "agentl")]
    assert "notify" in found["diagnostics"][0]["message"]
    print(found)


def resumes(found, run_id):
    assert not found["modified"]
