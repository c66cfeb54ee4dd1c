//! What must hold for any command line.

use proptest::prelude::*;

use super::*;

fn verdict(command: &str) -> Option<Rule> {
    Case::of("member1").at("/p").rule(command)
}

/// A word in single quotes, double quotes, or with every character escaped.
fn quotings(word: &str) -> [String; 3] {
    let escaped: String = word.chars().flat_map(|c| ['\\', c]).collect();
    [format!("'{word}'"), format!("\"{word}\""), escaped]
}

proptest! {
    #[test]
    fn nothing_makes_it_panic(command in any::<String>()) {
        verdict(&command);
    }

    #[test]
    fn nothing_that_looks_like_shell_makes_it_panic(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "git", "commit", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{", "}", "$(", "`", "'", "\"", "\\",
                "<<EOF", "<<-'E'", "EOF", ">", ">>", "2>&1", "$x", "${x:-", "$((", "))", "if", "then", "fi", "for",
                "in", "do", "done", "while", "case", "esac", ";;", "cd", "-C", "bash", "-c", "eval", "sleep", "5",
                "xargs", "find", "-exec", "=", "a=", "a=(", "[[", "]]", "#", "~", "function", "f()", "!", "time",
            ]),
            0..60,
        )
    ) {
        verdict(&pieces.concat());
        verdict(&pieces.join(" "));
    }

    #[test]
    fn quoting_a_word_changes_no_verdict(
        words in prop::sample::select(vec![
            vec!["git", "commit", "-m", "x"],
            vec!["git", "push", "origin", "HEAD:main"],
            vec!["git", "-C", "/wt", "commit"],
            vec!["rm", "-rf", "src"],
            vec!["sed", "-i", "s/a/b/", "src/a.rs"],
            vec!["sleep", "60"],
            vec!["tmux", "send-keys", "-t", "x", "hi"],
            vec!["env", "A=1", "git", "commit"],
            vec!["ls", "-l"],
        ]),
        which in 0usize..8,
        how in 0usize..3,
    ) {
        let plain = verdict(&words.join(" "));
        let which = which % words.len();
        let quoted: Vec<String> = words
            .iter()
            .enumerate()
            .map(|(i, word)| if i == which { quotings(word)[how].clone() } else { (*word).to_owned() })
            .collect();
        prop_assert_eq!(verdict(&quoted.join(" ")), plain, "{}", quoted.join(" "));
    }

    #[test]
    fn wrapping_a_command_changes_no_verdict(
        command in prop::sample::select(vec![
            "git commit -m x", "git -C /wt commit -m x", "git push origin HEAD:main", "echo x > a.rs", "sleep 60",
            "cd /wt && git commit -m x", "cat > a <<'E'\nx\nE\n", "ls", "npm test", "for i in 1 2; do sleep 3; done",
        ]),
        wraps in prop::collection::vec(0usize..8, 0..4),
    ) {
        let plain = verdict(command);
        let mut wrapped = command.to_owned();
        for wrap in wraps {
            wrapped = match wrap {
                0 => format!("bash -c '{}'", wrapped.replace('\'', "'\\''")),
                1 => format!("({wrapped}\n)"),
                2 => format!("cd . && {wrapped}"),
                3 => format!("{{ {wrapped}\n}}"),
                4 => format!("if true; then {wrapped}\nfi"),
                5 => format!("eval '{}'", wrapped.replace('\'', "'\\''")),
                6 => format!("true; {wrapped}"),
                _ => format!("x=$({wrapped}\n)"),
            };
        }
        prop_assert_eq!(verdict(&wrapped), plain, "{}", wrapped);
    }
}
