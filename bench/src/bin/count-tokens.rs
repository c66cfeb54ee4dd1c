//! `count-tokens`: print how many tokens (cl100k) the text on standard input has.
#![expect(clippy::print_stdout, reason = "the number on standard output is this program's purpose")]

use interagent_bench::Outcome;

fn main() -> Outcome {
    let text = std::io::read_to_string(std::io::stdin())?;
    println!("{}", tiktoken_rs::cl100k_base()?.encode_ordinary(&text).len());
    Ok(())
}
