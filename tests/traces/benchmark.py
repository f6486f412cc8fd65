"""A small checkout of τ²-bench, written for a test."""

import json
from pathlib import Path

from stretto.episodes.episode import AssistantTurn, Episode, ToolResult, UserMessage
from stretto.episodes.manifest import Manifest

HEAD = """\
from tau2.environment.toolkit import ToolKitBase, ToolType, is_tool


class Tools(ToolKitBase):
    def _hidden(self) -> None:
        \"\"\"Not a tool.\"\"\"

    # @is_tool(ToolType.THINK)
    # def think(self, thought: str) -> str:
"""


def source(manifest: Manifest) -> str:
    """The Python of a domain's tools."""
    return HEAD + "".join(_method(manifest, tool) for tool in manifest.tools)


def results(episodes: list[Episode], domain: str, agent: str) -> dict:
    """A result file's content."""
    return {
        "info": {
            "agent_info": {"llm": agent},
            "environment_info": {"domain_name": domain},
        },
        "simulations": [
            {
                "id": episode.id,
                "task_id": episode.task,
                "trial": episode.trial,
                "reward_info": {"reward": episode.reward or 0.0},
                "messages": list(_messages(episode)),
            }
            for episode in episodes
        ],
    }


def checkout(
    root: Path,
    manifest: Manifest,
    agents: dict[str, list[Episode]],
    train: list[str],
    test: list[str],
) -> Path:
    """Writes a checkout with one domain, the manifest's; gives its folder."""
    domain = manifest.domain
    final = root / "data/tau2/results/final"
    about = root / "data/tau2/domains" / domain
    tools = root / "src/tau2/domains" / domain
    for folder in (final, about, tools):
        folder.mkdir(parents=True, exist_ok=True)
    (tools / "tools.py").write_text(source(manifest), encoding="utf-8")
    split = {"train": train, "test": test, "base": [*train, *test]}
    (about / "split_tasks.json").write_text(json.dumps(split))
    for agent, episodes in agents.items():
        name = f"{agent.replace('/', '_')}_{domain}_default_customer_1trial.json"
        (final / name).write_text(json.dumps(results(episodes, domain, agent)))
    return root


def _method(manifest: Manifest, tool: str) -> str:
    docs = manifest.docs.get(tool)
    lines = [f"    @is_tool(ToolType.{manifest.tools[tool].upper()})"]
    lines += [f"    def {tool}(self) -> str:  # as it was"]
    if docs is not None:
        args = [f"            {name}: {text}" for name, text in docs.args.items()]
        lines += ['        """', f"        {docs.summary}", ""]
        lines += ["        Args:", *args, "", "        Returns:", "            Text."]
        lines += ['        """']
    return "\n" + "\n".join([*lines, "        return ''", ""])


def _messages(episode: Episode):
    yield {"role": "assistant", "content": "Hi! How can I help?", "cost": 0.0}
    for event in episode.events:
        match event:
            case UserMessage(text=text):
                yield {"role": "user", "content": text}
            case AssistantTurn(text=text, calls=calls):
                yield {
                    "role": "assistant",
                    "content": text,
                    "cost": 0.002,
                    "usage": {"prompt_tokens": 900, "completion_tokens": 20},
                    "tool_calls": [
                        {"id": c.id, "name": c.tool, "arguments": c.arguments}
                        for c in calls
                    ]
                    or None,
                }
            case ToolResult():
                yield {
                    "role": "tool",
                    "id": event.call_id,
                    "content": event.content,
                    "error": event.error,
                }
