//! A suite of tests on the device, case by case: one that hangs or crashes ends its process, and those behind
//! it go on in another.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    Failure,
    process::{End, Limit},
    say,
    steps::{Run, outcome, tell, why},
};

/// Listing the cases needs no device.
const LISTING: Duration = Duration::from_secs(60);
/// What is not part of the suite: it has a step of its own.
const ELSEWHERE: [&str; 1] = ["every_message_comes_back_once"];
/// Tests of another device's, in a program that is for both.
const OTHER_DEVICE: &str = "opencl::";
/// Cases that may not come to an end on a device, and are run last: a hundred kernels stay at a time, where a
/// driver has at most 32 queues to the device.
const LAST: [&str; 2] = ["a_hundred", "lines_can_run_out"];

/// Runs those cases of a test program that are not recorded yet; whether it came to the end before the limit.
pub(crate) fn run(run: &mut Run, suite: &str, program: &str) -> Result<bool, Failure> {
    let listed = run.program(program, &words(&["--list", "--format", "terse"]), Limit::of(LISTING))?;
    if listed.end != End::Exited(0) {
        return Err(format!("{program} does not list its cases: {}", why(&listed)).into());
    }
    let mut groups = groups(&listed.output, &run.only);
    if groups.is_empty() {
        if run.only.is_empty() {
            return Err(format!("{suite} has no case").into());
        }
        // Another suite may have one.
        run.without_case.push(suite.to_owned());
        return Ok(true);
    }
    run.has_case = true;
    if run.rehearses() {
        groups.truncate(1);
        groups.iter_mut().for_each(|(_, cases)| cases.truncate(REHEARSED));
    }
    for (group, cases) in groups {
        let mut waiting: Vec<String> =
            cases.into_iter().filter(|case| !run.record.has_case(suite, case)).collect();
        while !waiting.is_empty() {
            if run.is_late() {
                return Ok(false);
            }
            // A process says each case's name when it begins, and how it ended: while it says something, it
            // may go on, however many cases it has.
            let silent = Duration::from_secs(run.seconds_per_case) * run.patience;
            let limit = Limit { silent, cut: run.limit, ..Limit::of(Duration::MAX) };
            let options = words(&["--exact", "--test-threads=1", "--show-output"]);
            let ran = run.program(program, &[options, waiting.clone()].concat(), limit)?;
            let mut found = read(&ran.output);
            if ran.end == End::Cut {
                // The one that had begun begins anew the next time.
                found.retain(|found| found.outcome != BEGUN);
            } else if ran.end != End::Exited(0) && !found.iter().any(|found| found.outcome != "passed") {
                // It ended without saying where: in the case that had begun, or before the first.
                let next = waiting.iter().find(|case| found.iter().all(|found| found.case != **case));
                let case = next.unwrap_or(&waiting[0]).clone();
                found.retain(|found| found.case != case);
                found.push(Found { case, outcome: outcome(&ran), why: Some(why(&ran)) });
            }
            for found in found.iter_mut().filter(|found| found.outcome == BEGUN) {
                found.outcome = outcome(&ran);
                found.why = Some(why(&ran));
            }
            let mut bad = 0;
            for found in &found {
                bad += usize::from(!matches!(found.outcome, "passed" | "skipped"));
                run.record.add_case(suite, &found.case, found.outcome, found.why.as_deref())?;
            }
            let before = waiting.len();
            waiting.retain(|case| found.iter().all(|found| found.case != *case));
            let word = if bad == 0 { "passed" } else { "failed" };
            run.gpu = run.smi.step();
            tell(suite, &format!("{group}, {} cases", before - waiting.len()), word, ran.time, None);
            for found in found.iter().filter(|found| found.outcome != "passed") {
                let why = found.why.as_deref().unwrap_or("");
                say(&format!("                  {} {}: {why}", found.outcome, found.case));
            }
            if ran.end == End::Cut {
                return Ok(false);
            }
            if waiting.len() == before {
                return Err(format!("{program} ran none of {before} cases: {}", why(&ran)).into());
            }
            if bad != 0 {
                run.probe()?;
            }
            crate::report::write(&run.record)?;
        }
    }
    Ok(true)
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|&word| word.to_owned()).collect()
}

/// The cases of each way to run kernels, in the suite's order; those that may hang come last. A process begins
/// with most of a second in which the driver opens the device, so a group is as large as it can be.
fn groups(listed: &str, only: &[String]) -> Vec<(String, Vec<String>)> {
    // What launches get unless they say more comes first.
    let rank = |case: &str| {
        ["many_threads::", "persistent::", "epochs::"]
            .iter()
            .position(|way| case.starts_with(way))
            .unwrap_or(3)
    };
    let mut groups: BTreeMap<(bool, usize, String), Vec<String>> = BTreeMap::new();
    for line in listed.lines() {
        let Some(case) = line.strip_suffix(": test") else { continue };
        let is_asked = only.is_empty() || only.iter().any(|part| case.contains(part));
        if ELSEWHERE.contains(&case) || case.starts_with(OTHER_DEVICE) || !is_asked {
            continue;
        }
        let is_last = LAST.iter().any(|part| case.contains(part));
        let way = case.split_once("::").map_or("others", |(way, _)| way);
        let group = if is_last { "last" } else { way };
        groups.entry((is_last, rank(case), group.to_owned())).or_default().push(case.to_owned());
    }
    groups.into_iter().map(|((_, _, group), cases)| (group, cases)).collect()
}

/// So many cases of a suite, the first ones of its first group, show that it is run as it should be.
const REHEARSED: usize = 2;

/// A case that has begun and was not seen to end.
const BEGUN: &str = "begun";

#[derive(Debug, PartialEq, Eq)]
struct Found {
    case: String,
    outcome: &'static str,
    why: Option<String>,
}

/// What became of each case, by what the test program printed.
fn read(output: &str) -> Vec<Found> {
    let mut all = Vec::new();
    for line in output.lines() {
        let Some((case, result)) = line.strip_prefix("test ").and_then(|line| line.split_once(" ... "))
        else {
            continue;
        };
        let outcome = match result.trim() {
            "ok" => "passed",
            "ignored" => "skipped",
            result if result.starts_with("FAILED") => "failed",
            // The program was ended in this case.
            _ => BEGUN,
        };
        all.push(Found { case: case.to_owned(), outcome, why: None });
    }
    // What a case printed stands under its name. A case that says that it skipped itself did not pass.
    let mut of: Option<&str> = None;
    for line in output.lines() {
        if let Some(case) = line.strip_prefix("---- ").and_then(|line| line.strip_suffix(" stdout ----")) {
            of = Some(case);
            continue;
        }
        let Some(found) = of.and_then(|case| all.iter_mut().find(|found| found.case == case)) else {
            continue;
        };
        if line.starts_with("skipped: ") && found.outcome == "passed" {
            found.outcome = "skipped";
            found.why = Some(line.to_owned());
        } else if found.outcome == "failed" && !line.trim().is_empty() {
            let why = found.why.get_or_insert_default();
            if why.len() < 500 {
                why.push_str(if why.is_empty() { "" } else { " / " });
                why.push_str(line.trim());
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_that_may_hang_come_last() {
        let listed = "epochs::load::many: test\nmany_threads::lifecycle::r14_a_hundred_kernels: test\n\
                      persistent::messages::one: test\nevery_message_comes_back_once: test\n\
                      persistent::calls::two: test\nalone: test\n\n3 tests, 0 benchmarks\n";
        let epochs = groups(listed, &["epochs::".into()]);
        assert_eq!(epochs, [("epochs".into(), vec!["epochs::load::many".into()])]);
        let groups = groups(listed, &[]);
        let names: Vec<_> = groups.iter().map(|(group, cases)| (group.as_str(), cases.len())).collect();
        assert_eq!(names, [("persistent", 2), ("epochs", 1), ("others", 1), ("last", 1)]);
    }

    #[test]
    fn results_are_read_with_their_reasons() {
        let output = "\nrunning 4 tests\ntest a::one ... ok\ntest a::two ... FAILED\ntest a::three ... ok\ntest a::four ... ";
        let output = format!(
            "{output}\n\nsuccesses:\n\n---- a::three stdout ----\nskipped: three on cuda: no device\n\n\
             failures:\n\n---- a::two stdout ----\n\nthread 'two' panicked at x.rs:1:1:\nleft is not right\n"
        );
        let found = read(&output);
        let outcomes: Vec<_> = found.iter().map(|found| (found.case.as_str(), found.outcome)).collect();
        assert_eq!(
            outcomes,
            [("a::one", "passed"), ("a::two", "failed"), ("a::three", "skipped"), ("a::four", BEGUN)]
        );
        assert_eq!(found[1].why.as_deref(), Some("thread 'two' panicked at x.rs:1:1: / left is not right"));
        assert!(found[2].why.as_deref().is_some_and(|why| why.contains("no device")));
    }
}
