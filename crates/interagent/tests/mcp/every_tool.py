"""Calls every tool once with the official Python SDK, as two agents of two clients.

Arguments: the kind of connection (handshake or modern), the program, a home directory, a project with a hub. With an
address and the tokens of claude and kimi after them, over HTTP; otherwise on standard input and output.
"""

import asyncio
import sys
from contextlib import asynccontextmanager

from mcp import Client, ClientSession, Implementation, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

MODE, PROGRAM, HOME, PROJECT, *HTTP = sys.argv[1:]
INFO = Implementation(name="python-sdk", version="1")


@asynccontextmanager
async def over_http(name):
    address, *tokens = HTTP
    headers = {"Authorization": "Bearer " + tokens[["claude", "kimi"].index(name)]}
    async with create_mcp_http_client(headers=headers) as http:
        transport = streamable_http_client(address, http_client=http)
        if MODE == "modern":
            async with Client(transport, client_info=INFO) as client:
                yield client
        else:
            async with transport as (read, write), ClientSession(read, write, client_info=INFO) as session:
                await session.initialize()
                yield session


@asynccontextmanager
async def on_stdio(name):
    env = {"HOME": HOME, "INTERAGENT_AGENT": name}
    server = StdioServerParameters(command=PROGRAM, args=["mcp"], env=env, cwd=PROJECT)
    if MODE == "modern":
        async with Client(server, client_info=INFO) as client:
            yield client
    else:
        async with stdio_client(server) as (read, write), ClientSession(read, write, client_info=INFO) as session:
            await session.initialize()
            yield session


async def call(session, tool, **arguments):
    result = await session.call_tool(tool, arguments)
    text = result.content[0].text
    assert not result.is_error, f"{tool}: {text}"
    assert result.structured_content["schema"] == 1, tool
    print("ok", tool)
    return result.structured_content["answer"]


async def main():
    connected = over_http if HTTP else on_stdio
    async with connected("claude") as claude, connected("kimi") as kimi:
        listed = await claude.list_tools()
        assert len(listed.tools) == 20, listed
        await call(claude, "register_agent", name="claude", workspace_path=PROJECT, description="lead")
        await call(claude, "list_agents")
        await call(claude, "get_agent", name="kimi")
        sent = await call(claude, "send_message", to="kimi", subject="s", content="body", intent="question")
        inbox = await call(kimi, "check_inbox", wait=20)
        assert inbox["items"][0]["body"] == "body", inbox
        assert inbox["items"][0]["from"]["name"] == "claude", inbox
        await call(kimi, "read_message", message_id=sent["id"])
        await call(kimi, "escalate", message_id=sent["id"], reason="a person must say")
        await call(kimi, "reply_message", original_message_id=sent["id"], content="answer")
        answer = await call(claude, "check_inbox")
        bodies = [item["body"] for item in answer["items"]]
        assert bodies == ["a person must say", "answer"], answer
        assert answer["items"][1]["reply_to"] == sent["id"], answer
        await call(claude, "publish_spec", name="api", content="# API")
        spec = await call(kimi, "get_spec", name="api")
        assert spec["body"] == "# API", spec
        await call(kimi, "list_specs")
        await call(kimi, "set_status", status="testing")
        await call(claude, "get_status", agent_name="kimi")
        await call(claude, "get_all_statuses")
        task = await call(claude, "task", action="create", title="t", assignee="kimi")
        await call(kimi, "task", action="claim", task=task["id"])
        await call(claude, "review", action="open", title="r", diff="--- a/f.txt\n+++ b/f.txt\n@@ -1 +1 @@\n-a\n+b\n", to="kimi")
        await call(claude, "decision", action="open", question="q?", options=["a", "b"], to="kimi")
        await call(kimi, "lease", action="take", paths=["src/**"])
        found = await call(claude, "search", text="answer")
        assert found["items"], found
        await call(claude, "briefing")
        refused = await claude.call_tool("send_message", {"to": "nobody", "content": "x"})
        assert refused.is_error and refused.structured_content["error"]["code"], refused


asyncio.run(main())
