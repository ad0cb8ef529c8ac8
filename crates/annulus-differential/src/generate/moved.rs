//! Variables that are slices and move on, patterns of slices, and lists of bounded length.

use super::{Around, Ty, Var, Writer};

impl Writer<'_> {
    /// A slice that moves through a list, and what is done with each element.
    pub(super) fn moved_slice(&mut self) {
        let mutable = self.choices.percent(40);
        let Some(list) = self.list(None, mutable) else { return self.assign() };
        let (name, one, rest) = (self.own_name("s"), self.own_name("f"), self.own_name("t"));
        let sign = if mutable { "&mut " } else { "&" };
        let begin = if list.len > 1 { self.choices.below(2) } else { 0 };
        let condition = match self.choices.below(4) {
            0 => format!("[{one}, {rest} @ ..] = {name}"),
            1 => format!("[{rest} @ .., {one}] = {name}"),
            2 => format!("[_, {rest} @ .., {one}] = {name}"),
            _ => format!("Some(({one}, {rest})) = {name}.split_first{}()", if mutable { "_mut" } else { "" }),
        };
        let next = match self.choices.below(4) {
            0 | 1 => rest.clone(),
            2 => format!("{{ let half = {rest}.len() / 2; {sign}{rest}[half..] }}"),
            _ => format!("{{ let less = {rest}.len().saturating_sub(1); {sign}{rest}[..less] }}"),
        };
        let most = 1 + self.choices.below(3);
        let lines = self.lending(&list.root, mutable, |writer| {
            writer.block(|writer| {
                writer.line(&format!("let mut {name} = {sign}{}[{begin}..];", list.path));
                let (lines, label) = writer.around(Around::Plain, |writer| {
                    writer.block(|writer| {
                        // First, since what follows may go on with the next turn.
                        writer.line(&format!("{name} = {next};"));
                        writer.vars.push(Var { name: format!("(*{one})"), ty: list.of.clone(), mutable });
                        writer.vars.push(Var {
                            name: format!("{name}.len()"),
                            ty: Ty::Int("usize"),
                            mutable: false,
                        });
                        writer.statements(most);
                    })
                });
                writer.line(&format!("{label}while let {condition} {lines}"));
                writer.keep(&format!("{name}.len()"), &Ty::Int("usize"));
            })
        });
        self.line(&lines);
    }

    /// A `match` of a part of a list.
    pub(super) fn slice_match(&mut self) {
        let Some(list) = self.list(None, false) else { return self.assign() };
        // An end may change the list before it is lent.
        let end = match self.choices.below(3) {
            0 => self.choices.below(list.len + 1).to_string(),
            _ => {
                let end = self.own_name("n");
                let value = self.expression(&Ty::Int("usize"));
                self.line(&format!("let {end} = {value} % {};", list.len + 1));
                end
            }
        };
        let part = if self.choices.percent(60) { format!("..{end}") } else { format!("{end}..") };
        let mut arms = Vec::new();
        for _ in 0..1 + self.choices.below(4) {
            let (a, b, rest) = (self.own_name("b"), self.own_name("b"), self.own_name("t"));
            let of = |name: String| Var { name, ty: list.of.clone(), mutable: false };
            let lent = |name: &str| of(format!("(*{name})"));
            let len = || Var { name: format!("{rest}.len()"), ty: Ty::Int("usize"), mutable: false };
            arms.push(match self.choices.below(9) {
                0 => ("[]".to_owned(), Vec::new()),
                1 => (format!("[{a}]"), vec![lent(&a)]),
                2 => (format!("[{a}, .., {b}]"), vec![lent(&a), lent(&b)]),
                3 => (format!("[{a}, {rest} @ ..]"), vec![lent(&a), len()]),
                4 => (format!("[{rest} @ .., {a}, 0..=20]"), vec![lent(&a), len()]),
                5 => (format!("&[{a}, {b}, ..]"), vec![of(a.clone()), of(b.clone())]),
                6 => ("[1 | 2, ..] | [.., 0]".to_owned(), Vec::new()),
                7 => (format!("[{a}, ..] | [.., {a}, _] if *{a} > 5"), vec![lent(&a)]),
                _ => (format!("[_, {rest} @ .., {a} @ (3..)]"), vec![lent(&a), len()]),
            });
        }
        arms.push(("_".to_owned(), Vec::new()));
        let most = 1 + self.choices.below(2);
        let lines = self.lending(&list.root, false, |writer| {
            writer.block(|writer| {
                for (pattern, vars) in arms {
                    let lines = writer.block(|writer| {
                        writer.vars.extend(vars);
                        writer.statements(most);
                    });
                    writer.line(&format!("{pattern} => {lines}"));
                }
            })
        });
        self.line(&format!("match &{}[{part}] {lines}", list.path));
    }

    /// A list of bounded length, what changes it, and what it holds then.
    pub(super) fn bounded_list(&mut self) {
        // All of one type, since handlers stand together in one program for a device.
        let (of, room) = ("i16", 3);
        let (name, ty) = (self.own_name("l"), Ty::Int(of));
        self.line(&format!("let mut {name} = List::<{of}, {room}>::default();"));
        let values = 1 + self.choices.below(4);
        for _ in 0..values {
            let value = self.expression(&ty);
            self.line(&format!("let _ = {name}.push({value});"));
        }
        for _ in 0..1 + self.choices.below(4) {
            let value = self.expression(&ty);
            let index = self.choices.below(room);
            let line = match self.choices.below(11) {
                0 => format!("let _ = {name}.push({value});"),
                1 => format!("let _ = {name}.insert({index}.min({name}.len()), {value});"),
                2 => format!("if {name}.len() > {index} {{ {name}.remove({index}); }}"),
                3 => format!("if {name}.len() > {index} {{ {name}.swap_remove({index}); }}"),
                4 => format!("{name}.truncate({index});"),
                5 => {
                    // Nothing in a closure leaves it.
                    let least = self.own_name("m");
                    self.line(&format!("let {least} = {value};"));
                    format!("{name}.retain(|one| *one > {least});")
                }
                6 => format!("{name}.as_mut_slice().reverse();"),
                7 => format!("if let Some(one) = {name}.get_mut({index}) {{ *one = {value}; }}"),
                8 => format!("if {name}.is_full() || {name}.contains(&{value}) {{ {name}.clear(); }}"),
                9 => format!("{name}.sort();"),
                _ => {
                    let popped = self.own_name("p");
                    self.line(&format!("let {popped} = {name}.pop().unwrap_or({value});"));
                    self.vars.push(Var { name: popped, ty: ty.clone(), mutable: false });
                    continue;
                }
            };
            self.line(&line);
        }
        let fold = "fold(1i64, |all, one| all.wrapping_mul(31).wrapping_add(*one as i64))";
        self.keep(&format!("{name}.iter().{fold}"), &Ty::Int("i64"));
        self.vars.push(Var { name: format!("{name}.len()"), ty: Ty::Int("usize"), mutable: false });
    }
}
