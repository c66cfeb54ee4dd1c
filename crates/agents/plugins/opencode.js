// Connects OpenCode with interagent. Written by `interagent setup`; changes are lost at the next one.
//
// OpenCode runs no commands as hooks, so this calls `interagent hook PROFILE EVENT` with the event as JSON on standard
// input, and passes on what it prints. Whatever goes wrong here never stops the work: then nothing is said.
import { spawn } from "node:child_process"

const BINARY = {binary}
const PROFILE = {profile}
const AGENT = {agent}

// Long enough to read while the first answer appears.
const NOTICE_MS = 20_000
// The program answers within 1.5 s or not at all.
const LIMIT_MS = 2000
const MOST_BYTES = 256 * 1024

/** Runs a hook; gives its exit code and what it printed. Never fails. */
const run = (event, input, { wait = false, started } = {}) =>
  new Promise((resolve) => {
    const words = ["hook", PROFILE, event]
    if (wait) words.push("--wait")
    if (AGENT) words.push("--agent", AGENT)
    let child
    let text = ""
    let trouble = ""
    let timer
    const done = (code) => {
      clearTimeout(timer)
      resolve({ code, text: text.trim(), trouble: trouble.trim() })
    }
    try {
      child = spawn(BINARY, words, { cwd: input.cwd, stdio: ["pipe", "pipe", "pipe"] })
    } catch {
      return done(-1)
    }
    if (!wait) {
      timer = setTimeout(() => {
        text = ""
        child.kill("SIGKILL")
        done(-1)
      }, LIMIT_MS)
    }
    child.on("error", () => done(-1))
    child.on("close", (code) => done(code ?? -1))
    child.stdout.on("data", (data) => {
      if (text.length < MOST_BYTES) text += data
    })
    child.stderr.on("data", (data) => {
      if (trouble.length < MOST_BYTES) trouble += data
    })
    // It may be gone before it has read everything.
    child.stdin.on("error", () => {})
    child.stdin.end(JSON.stringify(input))
    if (started) started(child)
  })

/** Splits a hook's output into text for the model and a line for the person. */
const parsed = (printed) => {
  try {
    const { text = "", notice = "" } = JSON.parse(printed)
    return { text, notice }
  } catch {
    return { text: printed, notice: "" }
  }
}

/** Wraps a function of the plugin: an accident in it is no accident of the session. */
const careful = (work) => async (...values) => {
  try {
    await work(...values)
  } catch {
    // Said nothing is better than stopped.
  }
}

export const Interagent = async ({ client, directory }) => {
  // Sessions that a person or a program talks to. Those of subagents are a part of their parent's turn.
  const sessions = new Map()
  const inner = new Map()
  const outermost = (id) => (inner.has(id) ? outermost(inner.get(id)) : id)

  const facts = (session, more = {}) => ({ session_id: session, cwd: directory, ...more })

  const session = (id) => {
    if (!sessions.has(id)) sessions.set(id, { briefed: false, waiter: undefined })
    return sessions.get(id)
  }

  /** Shows the person a toast. Not awaited: without a terminal the call gets no answer. */
  const show = careful(async (message) => {
    await client.tui.showToast({ body: { message, variant: "info", duration: NOTICE_MS } })
  })

  /** Text that the next model request holds: the briefing once, then what waits. */
  const said = async (id, event, more) => {
    const printed = []
    const known = session(id)
    if (!known.briefed) {
      known.briefed = true
      printed.push((await run("session.created", facts(id, { source: known.source ?? "startup" }))).text)
    }
    if (event) printed.push((await run(event, facts(id, more))).text)
    const heard = printed.filter(Boolean).map(parsed)
    heard.filter(({ notice }) => notice).forEach(({ notice }) => show(notice))
    return heard.map(({ text }) => text).filter(Boolean).join("\n\n")
  }

  /** Begins a turn with a line, never with a message: it looks like something the person typed. */
  const prompt = async (id, text) => {
    await client.session.promptAsync({ path: { id }, body: { parts: [{ type: "text", text }] } })
  }

  const stopWaiting = (id) => {
    const known = sessions.get(id)
    if (!known?.waiter) return
    const child = known.waiter
    known.waiter = undefined
    child.kill("SIGTERM")
  }

  /** Sleeps beside an idle session until there is mail for it. */
  const waitFor = async (id) => {
    const known = session(id)
    stopWaiting(id)
    let own
    const { text } = await run("session.idle", facts(id), {
      wait: true,
      started: (child) => {
        own = child
        known.waiter = child
        // OpenCode may end while it sleeps.
        for (const part of [child, child.stdout, child.stderr]) part?.unref?.()
      },
    })
    if (known.waiter !== own) return
    known.waiter = undefined
    if (text) await prompt(id, text)
  }

  // Open dialogs by id, each with its session and its subject.
  const dialogs = new Map()

  /** Reports a dialog for the outermost session, whose terminal also shows the dialogs of subagents. */
  const report = async (session, event, about) => {
    const id = session && outermost(session)
    if (id && sessions.has(id)) await run(event, facts(id, about))
  }

  const opened = async (session, dialog, about) => {
    if (dialog) dialogs.set(dialog, { session: outermost(session), about })
    await report(session, "permission.asked", about)
  }

  /** An answer names only its dialog. A dialog from before the plugin's start is unknown: its answer closes all prompts. */
  const answered = async (session, dialog) => {
    const open = dialogs.get(dialog)
    dialogs.delete(dialog)
    const isSame = (other) => JSON.stringify(other) === JSON.stringify(open)
    // The hub counts equal dialogs as one prompt, which stays open until the last of them is answered.
    if (open && [...dialogs.values()].some(isSame)) return
    await report(session, "permission.replied", open?.about)
  }

  const forgetDialogs = (session) =>
    dialogs.forEach((open, dialog) => open.session === session && dialogs.delete(dialog))

  const leave = () => {
    for (const id of sessions.keys()) stopWaiting(id)
  }
  process.once("exit", leave)

  const happened = {
    "session.created": async ({ info }) => {
      if (info?.parentID && info.parentID !== info.id) inner.set(info.id, info.parentID)
    },
    "session.idle": async ({ sessionID: id }) => {
      if (!id || inner.has(id) || !sessions.has(id)) return
      // The end of a turn closes all of its dialogs, even if the turn was interrupted.
      forgetDialogs(id)
      await run("session.idle", facts(id))
      // Not awaited: it lasts until there is mail, which may be there already.
      careful(waitFor)(id)
    },
    "session.compacted": async ({ sessionID: id }) => {
      if (!id || !sessions.has(id)) return
      await run("session.compacted", facts(id))
      // What was known is forgotten: the next prompt brings the briefing again.
      Object.assign(session(id), { briefed: false, source: "compact" })
    },
    "permission.asked": async ({ id, sessionID, permission, patterns, metadata }) => {
      const command = metadata?.command ?? metadata?.filepath ?? patterns?.join(" ")
      await opened(sessionID, id, { tool_name: permission, tool_input: { command } })
    },
    "permission.replied": async ({ sessionID, requestID }) => answered(sessionID, requestID),
    "question.asked": async ({ id, sessionID }) => opened(sessionID, id, { tool_name: "question" }),
    "question.replied": async ({ sessionID, requestID }) => answered(sessionID, requestID),
    "question.rejected": async ({ sessionID, requestID }) => answered(sessionID, requestID),
    "session.deleted": async ({ info, sessionID }) => {
      const id = info?.id ?? sessionID
      if (!id || !sessions.has(id)) return
      stopWaiting(id)
      forgetDialogs(id)
      sessions.delete(id)
      await run("session.deleted", facts(id))
    },
  }

  return {
    event: careful(async ({ event }) => {
      await happened[event.type]?.(event.properties ?? {})
    }),

    // A person said something, or the session was woken. Titles and summaries are made by agents of their own names.
    "chat.message": careful(async (input, output) => {
      const id = output.message?.sessionID ?? input.sessionID
      if (!id || inner.has(id) || ["title", "summary", "compaction"].includes(input.agent)) return
      stopWaiting(id)
      const text = await said(id, "chat.message")
      if (!text) return
      output.parts.push({
        id: `prt_zz${Date.now().toString(16)}interagent`,
        messageID: output.message.id,
        sessionID: id,
        type: "text",
        text,
        synthetic: true,
      })
    }),

    "tool.execute.before": async (input, output) => {
      let denial = ""
      try {
        const more = { tool_name: input.tool, tool_input: output.args ?? {} }
        const { code, text, trouble } = await run("tool.execute.before", facts(outermost(input.sessionID), more))
        if (code === 2) denial = trouble || text
        if (code === 0) denial = text
      } catch {
        return
      }
      // The one thing that is thrown on purpose: it keeps the tool from running, and the model reads why.
      if (denial) throw new Error(denial)
    },

    "tool.execute.after": careful(async (input, output) => {
      if (inner.has(input.sessionID)) return
      const more = { tool_name: input.tool, tool_input: input.args ?? {} }
      const { text } = await run("tool.execute.after", facts(input.sessionID, more))
      if (!text) return
      if (typeof output.output === "string") output.output += `\n\n${text}`
      else if (Array.isArray(output.content)) output.content.push({ type: "text", text })
    }),

    "shell.env": careful(async (input, output) => {
      if (input.sessionID) output.env.INTERAGENT_SESSION = outermost(input.sessionID)
      if (AGENT) output.env.INTERAGENT_AGENT = AGENT
    }),
  }
}
