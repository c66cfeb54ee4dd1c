//! The team in its terminals, and what the log says of it.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use interagent_testkit::Sandbox;
use interagent_testkit::clients::{Settings, Stage, client};
use interagent_testkit::ntfy::NtfyServer;
use interagent_testkit::sandbox::Run;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

/// How long something may take that goes through several agents, one after the other.
const PATIENCE: Duration = Duration::from_secs(150);

/// The topic of the person's phone.
const TOPIC: &str = "the-team";

/// Clients that are set up for one project.
pub(super) struct World {
    pub(super) claude: Stage<'static>,
    pub(super) kimi: Stage<'static>,
    /// The third member, where the team has one.
    pub(super) codex: Option<Stage<'static>>,
    /// The person's phone.
    ntfy: NtfyServer,
    sandbox: &'static Sandbox,
}

impl World {
    /// The first member is Kimi Code, all others are Claude Code.
    pub(super) fn new() -> Self {
        Self::of("kimi:1,claude:1")
    }

    /// With Codex as a third member, in its default sandbox.
    pub(super) fn with_codex() -> Self {
        Self::of("kimi:1,claude:1,codex:1")
    }

    fn of(members: &str) -> Self {
        // The stages borrow it for as long as the test runs, which is all that this process does. The sandbox of Codex lets
        // everybody write below /tmp.
        let program = Path::new(env!("CARGO_BIN_EXE_interagent"));
        let sandbox: &'static Sandbox = Box::leak(Box::new(Sandbox::of(program, Path::new("/var/tmp"))));
        let claude = Stage::prepared(client("claude"), sandbox);
        let mut codex = members.contains("codex").then(|| Stage::prepared(client("codex"), sandbox));
        if let Some(codex) = &mut codex {
            codex.ask_before_tools();
        }
        let kimi = Stage::prepared(client("kimi"), sandbox);
        // A person would have agreed to both once: to commands of ours, and to this folder.
        let agreed = json!({ "permissions": { "allow": ["Bash(interagent:*)"], "defaultMode": "default" } });
        claude.configure_with(vec![("~/.claude/settings.json".to_owned(), Settings::Json(agreed))]);
        drop(kimi.open());
        // In a repository each member gets a worktree of its own.
        for words in [&["init", "-q", "-b", "main"][..], &["commit", "-q", "--allow-empty", "-m", "first"]] {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=x", "-c", "user.email=x@y.test"]).args(words);
            let done = git.current_dir(sandbox.project()).env("HOME", sandbox.home()).status().unwrap();
            assert!(done.success(), "{words:?}");
        }
        sandbox
            .run(&[
                "init",
                "--formation",
                "captain",
                "--captain",
                "claude",
                "--vice-captains",
                "claude:1",
                "--members",
                members,
            ])
            .success();
        claude.product().run(&["setup", "--yes"]).success();
        Self { claude, kimi, codex, ntfy: NtfyServer::start(), sandbox }
    }

    /// What was pushed to the person because somebody needs an answer.
    pub(super) fn pleas(&self) -> Vec<Value> {
        let mut pushed = self.ntfy.published(TOPIC);
        pushed.retain(|push| push["title"].as_str().is_some_and(|title| title.contains("needs an answer")));
        pushed
    }

    /// The person answers from their phone.
    pub(super) fn replies(&self, text: &str) {
        self.ntfy.say(TOPIC, text);
    }

    fn product(&self) -> Run<'static> {
        let product =
            self.claude.product().env("INTERAGENT_TMUX_SOCKET", &self.socket().display().to_string());
        // The shell of the person has the keys of all clients.
        let product = product.env("OPENAI_API_KEY", "dummy");
        product.env("INTERAGENT_NTFY_SERVER", self.ntfy.url()).env("INTERAGENT_NTFY_TOPIC", TOPIC)
    }

    fn socket(&self) -> PathBuf {
        self.sandbox.home().join("team.tmux")
    }
}

/// The team, running.
pub(super) struct Crew<'w> {
    world: &'w World,
    /// Where the log stood when the team was there.
    start: i64,
    /// Whoever supervises is killed now and then.
    trouble: RefCell<Trouble>,
}

/// When whoever supervises is killed next, and how often still. Who was started in its place is ended with this.
struct Trouble {
    left: u32,
    next: Instant,
    chance: u64,
    others: Vec<Child>,
}

impl Trouble {
    /// Some seconds: a line is typed in one pause and cut off in another.
    fn pause(&mut self) -> Duration {
        self.chance =
            self.chance.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        Duration::from_millis(300 + (self.chance >> 33) % 6_000)
    }
}

impl Drop for Trouble {
    fn drop(&mut self) {
        for other in &mut self.others {
            let _ = other.kill();
            let _ = other.wait();
        }
    }
}

impl<'w> Crew<'w> {
    pub(super) fn up(world: &'w World) -> Self {
        world.product().run(&["up"]).success();
        let start = world.sandbox.json(&["log", "--limit", "1"])["items"][0]["seq"].as_i64().unwrap();
        let trouble = Trouble { left: 0, next: Instant::now(), chance: 20_261_117, others: Vec::new() };
        let crew = Self { world, start, trouble: RefCell::new(trouble) };
        crew.until("everybody is there", || {
            let listed = world.product().json(&["ps"]);
            for asking in list(&listed["agents"]).filter(|agent| agent["life"] == "asking") {
                crew.answer(asking["pane"].as_str().unwrap());
            }
            list(&listed["agents"]).all(|agent| agent["life"] == "idle")
        });
        crew
    }

    /// Answers as a person does what clients ask at their first start: whether Claude Code may act without asking, and whether
    /// Kimi Code and Codex may trust hooks and the folder, which is a new one for each member.
    fn answer(&self, pane: &str) {
        let screen = self.tmux(&["capture-pane", "-p", "-t", pane]);
        if screen.contains("Trust this folder?") {
            self.tmux(&["send-keys", "-t", pane, "Enter"]);
            std::thread::sleep(Duration::from_millis(700));
        }
        if screen.contains("Hooks need review") {
            // Trust all and continue.
            self.tmux(&["send-keys", "-t", pane, "2"]);
            std::thread::sleep(Duration::from_millis(300));
            self.tmux(&["send-keys", "-t", pane, "Enter"]);
            std::thread::sleep(Duration::from_millis(700));
        }
        if screen.contains("No, keep manual mode") {
            self.tmux(&["send-keys", "-t", pane, "Down"]);
            std::thread::sleep(Duration::from_millis(300));
            self.tmux(&["send-keys", "-t", pane, "Enter"]);
            std::thread::sleep(Duration::from_millis(700));
        }
    }

    pub(super) fn say(&self, whom: &str, text: &str) {
        self.world.sandbox.run(&["say", whom, text]).success();
    }

    /// Somebody asks somebody else; the id of the question.
    pub(super) fn asks(&self, who: &str, whom: &str, text: &str) -> String {
        let words = ["send", "--from-agent", who, "--to", whom, "--intent", "question", "-m", text];
        self.world.sandbox.json(&words)["id"].as_str().unwrap().to_owned()
    }

    pub(super) fn message(&self, id: &str) -> Value {
        self.world.sandbox.json(&["read", id])
    }

    /// Whether the supervisor noted something of a kind.
    pub(super) fn has_traced(&self, kind: &str) -> bool {
        let trace = self.world.sandbox.json(&["log", "trace", "--limit", "200"]);
        list(&trace["items"]).any(|row| row["kind"] == kind)
    }

    /// A person types into an agent's terminal, and does not press Enter.
    pub(super) fn types(&self, agent: &str, text: &str) {
        self.tmux(&["send-keys", "-t", &self.pane(agent), "-l", "--", text]);
    }

    /// The person takes back what they typed.
    pub(super) fn takes_back(&self, agent: &str, text: &str) {
        let count = text.chars().count().to_string();
        self.tmux(&["send-keys", "-t", &self.pane(agent), "-N", &count, "BSpace"]);
    }

    pub(super) fn screen(&self, agent: &str) -> String {
        self.tmux(&["capture-pane", "-p", "-t", &self.pane(agent)])
    }

    /// Kills an agent's client as a crash would.
    pub(super) fn kill(&self, agent: &str) {
        let pid = self.shown_of(agent)["pid"].as_i64().unwrap();
        kill_process(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap(), Signal::KILL).unwrap();
    }

    pub(super) fn restart(&self, agent: &str) {
        self.world.product().run(&["restart", agent]).success();
    }

    pub(super) fn life(&self, agent: &str) -> Value {
        self.shown_of(agent)["life"].clone()
    }

    fn pane(&self, agent: &str) -> String {
        self.shown_of(agent)["pane"].as_str().unwrap().to_owned()
    }

    fn shown_of(&self, agent: &str) -> Value {
        self.world.product().json(&["ps", agent])["agents"][0].clone()
    }

    /// From now on a duty climbs within seconds.
    pub(super) fn hurry_the_ladder(&self) {
        self.set(&[("wake_s", 2), ("next_channel_s", 3), ("reset_s", 4), ("superior_s", 8)]);
    }

    /// The doctor and `ps` agree that these are connected, and git sees nothing of it in their worktrees.
    #[track_caller]
    pub(super) fn assert_connected(&self, agents: &[&str]) {
        let doctor = self.world.product().run(&["doctor"]).stdout;
        for agent in agents {
            assert_eq!(self.shown_of(agent)["lacks"], json!([]), "{agent}");
            assert!(
                doctor.contains(&format!("{agent}: ")) && !doctor.contains("is not connected"),
                "{doctor}"
            );
            let tree = self.world.sandbox.project().with_file_name("project.worktrees").join(agent);
            let status =
                Command::new("git").args(["status", "--porcelain"]).current_dir(&tree).output().unwrap();
            assert_eq!(String::from_utf8_lossy(&status.stdout), "", "{agent}");
        }
    }

    pub(super) fn task(&self, alias: &str) -> Value {
        let shown = self.world.sandbox.start().run(&["task", "show", alias, "--json"]);
        serde_json::from_str::<Value>(&shown.stdout).map(|found| found["answer"].clone()).unwrap_or_default()
    }

    pub(super) fn dashboard(&self) -> String {
        self.world.sandbox.run(&["sync"]).success();
        std::fs::read_to_string(self.world.sandbox.hub().join("dashboard.md")).unwrap()
    }

    /// Messages of which an agent has no evidence yet. What starts no turn may wait for the next one, and the operator is
    /// a person who is not here.
    pub(super) fn undelivered(&self) -> Vec<Value> {
        let is_agents = |to: &Value| to["agent"]["name"] != "operator";
        let waits =
            |message: &Value| list(&message["to"]).any(|to| is_agents(to) && to["delivered"].is_null());
        self.messages().into_iter().filter(|message| message["quiet"] != true && waits(message)).collect()
    }

    #[track_caller]
    pub(super) fn assert_delivered_once(&self) {
        let entries = self.entries();
        for message in self.messages() {
            let id = message["id"].as_str().unwrap();
            let arrived = entries.iter().flat_map(|entry| list(&entry["events"]));
            let arrived =
                arrived.filter(|event| event["entity"] == id && event["kind"] == "message.delivered");
            let agents = list(&message["to"]).filter(|to| to["agent"]["name"] != "operator").count();
            let (arrived, is_due) = (arrived.count(), message["quiet"] != true);
            assert!(arrived <= agents && (arrived == agents || !is_due), "{message:#}");
        }
    }

    /// Nothing but the operator's own words went to an agent as mail.
    #[track_caller]
    pub(super) fn assert_nobody_mailed(&self, agent: &str, but: &str) {
        for message in self.messages() {
            let is_to = list(&message["to"]).any(|to| to["agent"]["name"] == agent);
            assert!(
                !is_to || message["from"]["name"] == "operator",
                "{agent} got {message:#}, and not only {but}"
            );
        }
    }

    /// The operator wrote one entry since the team was there.
    #[track_caller]
    pub(super) fn assert_operator_said_only(&self, text: &str) {
        let own: Vec<Value> =
            self.entries().into_iter().filter(|entry| entry["actor"]["name"] == "operator").collect();
        assert_eq!(own.len(), 1, "the operator did more than to say `{text}`: {own:#?}");
    }

    /// From now on whoever supervises is killed so often, while something is waited for.
    pub(super) fn trouble(&self, kills: u32) {
        self.trouble.borrow_mut().left = kills;
    }

    /// How often that is still to happen.
    pub(super) fn trouble_left(&self) -> u32 {
        self.trouble.borrow().left
    }

    fn kill_who_supervises(&self) {
        let mut trouble = self.trouble.borrow_mut();
        if trouble.left == 0 || Instant::now() < trouble.next {
            return;
        }
        let supervisor = self.world.product().json(&["ps"])["supervisor"].as_i64();
        if let Some(pid) = supervisor.and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?)) {
            self.world.sandbox.kill_supervisor(pid);
            trouble.left -= 1;
        }
        let mut another = self.world.product().command(&["supervise", "--quiet"]);
        another.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        trouble.others.push(another.spawn().unwrap());
        let pause = trouble.pause();
        trouble.next = Instant::now() + pause;
    }

    /// Changes numbers of the team file, and lets them hold.
    pub(super) fn set(&self, numbers: &[(&str, u32)]) {
        let path = self.world.sandbox.hub().join("team.toml");
        let mut text = std::fs::read_to_string(&path).unwrap();
        for (key, number) in numbers {
            let line = text.lines().find(|line| line.starts_with(&format!("{key} = "))).unwrap().to_owned();
            text = text.replace(&line, &format!("{key} = {number}"));
        }
        std::fs::write(&path, text).unwrap();
        self.world.sandbox.operator().run(&["team", "take"]).success();
    }

    /// Messages that the loop guard holds.
    pub(super) fn held(&self) -> Vec<Value> {
        list(&self.world.sandbox.json(&["msg", "list", "--held"])["items"]).cloned().collect()
    }

    pub(super) fn release(&self, id: &str) {
        self.world.sandbox.operator().run(&["msg", "release", id]).success();
    }

    /// Waits for something that shall come by itself.
    #[track_caller]
    pub(super) fn until(&self, what: &str, mut is_so: impl FnMut() -> bool) {
        let patient_until = Instant::now() + PATIENCE;
        while !is_so() {
            self.kill_who_supervises();
            assert!(Instant::now() < patient_until, "{what}: it does not happen\n{}", self.shown());
            std::thread::sleep(Duration::from_millis(200));
        }
    }

    /// Leaves what a person would see, where the pictures of the documentation are taken: in a terminal in which a command runs,
    /// once some text stands there.
    pub(super) fn picture(&self, name: &str, command: &str, text: &str) {
        let Some(directory) = std::env::var_os("INTERAGENT_SCREENS") else { return };
        let server = self.world.sandbox.home().join("person.tmux");
        let tmux = |words: &str| {
            let line = format!("exec tmux -u -S {} -f /dev/null {words}", server.display());
            let output = self.world.product().env("TERM", "xterm-256color").shell(&line).output().unwrap();
            String::from_utf8(output.stdout).unwrap()
        };
        tmux(&format!(
            "new-session -d -x 150 -y 40 -s {name} sh -c \"{command}; exec sleep 60\" \\; set-option -g status off"
        ));
        let mut screen = String::new();
        self.until(text, || {
            screen = tmux(&format!("capture-pane -p -e -t {name}"));
            screen.contains(text)
        });
        // A client redraws when its terminal gets another size.
        std::thread::sleep(Duration::from_secs(2));
        screen = tmux(&format!("capture-pane -p -e -t {name}"));
        tmux("kill-server");
        // Where the test ran is nothing to a reader.
        let here = self.world.sandbox.project().display().to_string();
        let there = format!("{:<1$}", "~/api", here.len());
        std::fs::write(PathBuf::from(directory).join(name), screen.replace(&here, &there)).unwrap();
    }

    /// How a person looks at the team's window in front of which an agent stands.
    pub(super) fn attached(&self, agent: &str) -> String {
        format!("tmux -S {} attach -t '{}'", self.world.socket().display(), self.pane(agent))
    }

    pub(super) fn down(&self) {
        self.world.product().run(&["down"]).success();
    }

    fn messages(&self) -> Vec<Value> {
        list(&self.world.sandbox.json(&["msg", "list"])["items"]).cloned().collect()
    }

    fn entries(&self) -> Vec<Value> {
        let page = self.world.sandbox.json(&["log", "--after", &self.start.to_string(), "--limit", "500"]);
        list(&page["items"]).cloned().collect()
    }

    /// Everything a person would look at to find out what is wrong.
    fn shown(&self) -> String {
        let mut told = self.world.product().run(&["ps"]).stdout;
        for question in [&["log", "--limit", "40"][..], &["log", "trace", "--limit", "30"]] {
            told.push_str(&self.world.sandbox.run(question).stdout);
        }
        for pane in self.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]).lines() {
            let screen = self.tmux(&["capture-pane", "-p", "-t", pane]);
            let lines: Vec<&str> = screen.lines().filter(|line| !line.trim().is_empty()).collect();
            told.push_str(&format!("== pane {pane}\n{}\n", lines.join("\n")));
        }
        let log = std::fs::read_to_string(self.world.sandbox.hub().join("state/supervisor.log"));
        told + &format!("== supervisor\n{}", log.unwrap_or_default())
    }

    fn tmux(&self, words: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(self.world.socket()).args(words).env_remove("TMUX");
        String::from_utf8_lossy(&command.output().unwrap().stdout).into_owned()
    }
}

/// Nothing is left running, also where the test failed.
impl Drop for Crew<'_> {
    fn drop(&mut self) {
        let _ = self.world.product().run(&["down"]);
        self.tmux(&["kill-server"]);
    }
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}
