"""An agent without a model, in a real terminal: it draws a composer as Claude Code does, takes what is typed, tells the real
hooks what it does, hears what they say, and acts on cues by running real commands.

What it saw and did is in its folder below `~/agents`:
  keys       every byte that reached its terminal; what is not in it was not typed
  submitted  the lines that were sent off with Enter
  heard      what each hook said to it
  ran        the commands that it ran, with what they said
  started    its words, one line for each time it was started
  obeyed     the orders of the test that it carried out
"""

import json
import os
import re
import select
import subprocess
import sys
import termios
import tty
import uuid

NAME = os.environ["INTERAGENT_AGENT"]
PROFILE = os.path.basename(sys.argv[0])
HOME = os.environ["HOME"]
PLACE = os.path.join(HOME, "agents", NAME)
os.makedirs(PLACE, exist_ok=True)


def note(file, text):
    with open(os.path.join(PLACE, file), "ab") as out:
        out.write(text if isinstance(text, bytes) else text.encode())


def cues():
    """Who does what when it hears a word; the test writes it."""
    try:
        with open(os.path.join(HOME, "cues.json")) as file:
            return json.load(file)
    except FileNotFoundError:
        return []


class Agent:
    def __init__(self, words):
        self.session = words[words.index("--again") + 1] if "--again" in words else None
        self.model = words[words.index("--model") + 1] if "--model" in words else "usual"
        self.text = ""
        self.face = "listens"
        self.drawn = None
        self.context = ""
        self.fired = {}
        self.waiters = []

    # Hooks

    def told(self, **more):
        return json.dumps({"session_id": self.session, "cwd": os.getcwd(), **more})

    def hook(self, event, **more):
        words = ["interagent", "hook", PROFILE, event]
        done = subprocess.run(words, input=self.told(**more), capture_output=True, text=True)
        said = {0: done.stdout, 2: done.stderr}.get(done.returncode, "")
        note("heard", f"=== {event} {self.session}\n{said}")
        return said

    def begin(self, source):
        if self.session is None:
            self.session = f"{NAME}-{uuid.uuid4().hex[:12]}"
        self.context = self.hook("SessionStart", source=source)
        self.arm()

    def arm(self):
        """A waiter beside the idle session, where the client has such a thing."""
        if PROFILE != "woken":
            return
        words = ["interagent", "hook", PROFILE, "Stop", "--wait"]
        waiter = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        waiter.stdin.write(self.told())
        waiter.stdin.close()
        self.waiters.append(waiter)

    def hear_waiters(self):
        for waiter in [waiter for waiter in self.waiters if waiter.poll() is not None]:
            self.waiters.remove(waiter)
            said = waiter.stderr.read()
            if waiter.returncode == 2:
                note("heard", f"=== wait {self.session}\n{said}")
                self.turn(said)

    # Turns

    def prompt(self, line):
        self.show("works")
        self.turn(self.hook("UserPromptSubmit", prompt=line))

    def turn(self, said):
        self.show("works")
        said, self.context = self.context + said, ""
        is_kept_going = False
        while True:
            self.act(said)
            said = self.hook("Stop", stop_hook_active=is_kept_going)
            if not said:
                break
            is_kept_going = True
        self.show("listens")
        self.arm()

    def act(self, said):
        """Does what it has a cue for, and what it hears meanwhile."""
        parts = [said]
        while parts:
            said = parts.pop(0)
            for number, cue in enumerate(cues()):
                for letter in self.letters(said, cue["cue"]) if cue["who"] == NAME else []:
                    count = self.fired.get(number, 0)
                    if count >= cue["times"]:
                        continue
                    self.fired[number] = count + 1
                    for command in cue["run"]:
                        parts.append(self.tool(command.replace("{message}", letter)))

    @staticmethod
    def letters(said, word):
        """The messages that hold a word, each once; one without a name where it stands outside of them only."""
        found = []
        for place in re.finditer(re.escape(word), said):
            before = re.findall(r"^--- (msg-[a-z0-9]+) from", said[: place.end()], re.MULTILINE)
            letter = before[-1] if before else ""
            if letter not in found:
                found.append(letter)
        return [letter for letter in found if letter] or found

    def tool(self, command):
        done = subprocess.run(["sh", "-c", command], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        note("ran", f"$ {command}\n[{done.returncode}] {done.stdout}{done.stderr}\n")
        return self.hook("PostToolUse", tool_name="Bash", tool_input={"command": command})

    # The terminal

    def submit(self, line):
        note("submitted", f"{line}\n")
        verb, _, rest = line.partition(" ")
        if verb == "/clear":
            self.hook("SessionEnd", reason="clear")
            self.session = None
            self.begin("clear")
        elif verb == "/model":
            self.model = rest
        elif verb == "/exit":
            self.leave()
        elif line:
            self.prompt(line)

    def leave(self):
        self.hook("SessionEnd", reason="exit")
        sys.exit(0)

    def receive(self, byte):
        if byte == 0x0D and self.face == "asks":
            note("obeyed", "answered\n")
            self.show("listens")
        elif byte == 0x0D and self.face == "listens":
            line, self.text = self.text, ""
            self.submit(line)
        elif byte == 0x7F:
            self.text = self.text[:-1]
        elif byte >= 0x20:
            self.text += chr(byte)

    def obey(self):
        """What the test wants of it: its own person does something, or its model."""
        order = os.path.join(PLACE, "order")
        try:
            with open(order) as file:
                word = file.read()
        except FileNotFoundError:
            return
        os.remove(order)
        if word == "ask":
            self.hook("Notification", notification_type="permission_prompt")
            self.show("asks")
        elif word == "work":
            self.hook("UserPromptSubmit", prompt="a long task")
            self.show("works")
        elif word == "look busy":
            self.show("works")
        elif word == "show a question":
            self.show("asks")
        elif word == "look idle":
            self.show("listens")
        elif word == "listen":
            self.turn("")
        elif word == "leave":
            self.leave()
        note("obeyed", f"{word}\n")

    def show(self, face):
        self.face = face
        self.draw()

    def draw(self):
        size = os.get_terminal_size(0)
        screen = self.screen(size.columns)
        if (screen, size) != self.drawn:
            self.drawn = (screen, size)
            os.write(1, screen.encode())

    def screen(self, columns):
        rule = "─" * min(60, columns - 2)
        clear = "\x1b[2J\x1b[H"
        if self.face == "asks":
            return f"{clear}{rule}\r\n Do you want to proceed?\r\n ❯ 1. Yes\r\n   2. No\r\n\r\n Esc to cancel\x1b[3;2H"
        footer = "esc to interrupt" if self.face == "works" else "? for shortcuts"
        column = len(self.text) + 3
        top = f"{clear}I am {NAME}, with the model {self.model}\r\n\r\n"
        return f"{top}{rule}\r\n❯ {self.text}\r\n{rule}\r\n  {footer}\x1b[4;{column}H"

    def live(self):
        tty.setraw(0, termios.TCSANOW)
        self.draw()
        while True:
            self.draw()
            if select.select([0], [], [], 0.1)[0]:
                some = os.read(0, 4096)
                if not some:
                    return
                note("keys", some)
                for byte in some:
                    self.receive(byte)
            self.obey()
            self.hear_waiters()


def run_once(agent, prompt):
    """Without a person: one prompt, and its end."""
    note("runs", f"{prompt}\n=== end of the prompt\n")
    agent.session = f"{NAME}-{uuid.uuid4().hex[:12]}"
    print(json.dumps({"type": "init", "session": agent.session}), flush=True)
    agent.hook("SessionStart", source="startup")
    said = agent.hook("UserPromptSubmit", prompt=prompt)
    print(json.dumps({"type": "say", "text": "I read it."}), flush=True)
    agent.act(prompt + said)
    agent.hook("Stop", stop_hook_active=True)
    agent.hook("SessionEnd", reason="exit")
    print(json.dumps({"type": "result", "text": "All done."}), flush=True)


def main():
    words = sys.argv[1:]
    note("started", json.dumps(words) + "\n")
    agent = Agent(words)
    if "--once" in words:
        return run_once(agent, words[words.index("--once") + 1])
    agent.begin("resume" if agent.session else "startup")
    agent.live()


main()
