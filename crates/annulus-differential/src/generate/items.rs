//! Lists: loops over their elements, parts of them, and references to places.

use super::{Around, Slice, Ty, Var, Writer, types::INTS};

/// The elements and lengths of the arrays that the types of `SOURCE` have.
const ARRAYS: [(&str, usize); 5] = [("i32", 4), ("u16", 5), ("i16", 3), ("i8", 2), ("i64", 3)];

/// An array or a slice.
#[derive(Clone)]
pub(super) struct List {
    /// The place, or the slice.
    pub(super) path: String,
    pub(super) root: String,
    pub(super) of: Ty,
    /// How many elements it has at least.
    pub(super) len: usize,
    pub(super) is_slice: bool,
}

impl Writer<'_> {
    /// A list in memory, of integers.
    pub(super) fn list(&mut self, of: Option<&Ty>, mutable: bool) -> Option<List> {
        let slices: Vec<Slice> = self
            .slices
            .iter()
            .filter(|slice| of.is_none_or(|of| slice.of == *of) && (slice.mutable || !mutable))
            .filter(|slice| !self.borrowed.contains(&slice.first()))
            .filter(|slice| !mutable || (!self.frozen && !self.lent.contains(&slice.first())))
            .cloned()
            .collect();
        if !slices.is_empty() && self.choices.percent(50) {
            let slice = self.choices.one(&slices);
            let root = slice.first();
            return Some(List { path: slice.name, root, of: slice.of, len: 1, is_slice: true });
        }
        let mut types: Vec<(Ty, usize)> = ARRAYS.iter().map(|&(name, len)| (Ty::Int(name), len)).collect();
        for var in &self.vars {
            if let Ty::Array(of, len) = &var.ty
                && matches!(**of, Ty::Int(_))
            {
                types.push(((**of).clone(), *len));
            }
        }
        types.retain(|(element, _)| of.is_none_or(|of| element == of));
        if types.is_empty() {
            return None;
        }
        let (of, len) = self.choices.one(&types);
        let (path, root) = self.rooted(&Ty::Array(Box::new(of.clone()), len), mutable)?;
        Some(List { path, root, of, len, is_slice: false })
    }

    /// `for` over elements, or over parts of a list.
    pub(super) fn elements(&mut self) {
        let mutable = self.choices.percent(40);
        let Some(list) = self.list(None, mutable) else { return self.assign() };
        let name = self.own_name("r");
        let (counter, other) = (self.own_name("i"), self.own_name("o"));
        let at = |name: &str| format!("(*{name})");
        let (mut pattern, mut over) = (name.clone(), format!("{}.iter()", list.path));
        let mut vars = vec![Var { name: at(&name), ty: list.of.clone(), mutable }];
        let mut slices = Vec::new();
        let mut beside = None;
        // Whether there is no iterator's method to begin with.
        let mut bare = false;
        if mutable {
            over = format!("{}.iter_mut()", list.path);
        }
        match self.choices.below(8) {
            0 | 1 => {}
            2 if !mutable => {
                let method = self.choices.one(&["chunks", "windows", "chunks_exact"]);
                over = format!("{}.{method}({})", list.path, 1 + self.choices.below(3));
                vars = Vec::new();
                slices.push(Slice { name: name.clone(), of: list.of.clone(), mutable: false });
            }
            3 if !mutable && !list.is_slice => {
                bare = true;
                over = if self.choices.percent(50) { list.path.clone() } else { format!("&{}", list.path) };
                vars[0].name = if over == list.path { name.clone() } else { at(&name) };
            }
            // The other list is borrowed beside the first.
            4 | 5 => {
                let second = self.lending(&list.root, mutable, |writer| writer.list(None, false));
                if let Some(second) = second {
                    pattern = format!("({name}, {other})");
                    over = format!("{over}.zip({}.iter())", second.path);
                    vars.push(Var { name: at(&other), ty: second.of.clone(), mutable: false });
                    beside = Some(second.root);
                }
            }
            _ => {}
        }
        // What is enumerated counts in the order of the elements, unless it was turned before.
        if beside.is_none() && self.choices.percent(25) {
            pattern = format!("({counter}, {pattern})");
            over = if bare { format!("{}.iter()", list.path) } else { over };
            bare = false;
            if vars.first().is_some_and(|var| var.name == name) {
                vars[0].name = at(&name);
            }
            over = format!("{over}.enumerate()");
            vars.push(Var { name: counter, ty: Ty::Int("usize"), mutable: false });
        }
        if !bare {
            match self.choices.below(8) {
                0..=3 => {}
                4 if !over.contains("zip") => over = format!("{over}.rev()"),
                5 => over = format!("{over}.step_by({})", 1 + self.choices.below(3)),
                6 => over = format!("{over}.skip({})", self.choices.below(3)),
                _ => over = format!("{over}.take({})", self.choices.below(4)),
            }
        }
        let most = 1 + self.choices.below(3);
        let inside = |writer: &mut Self| {
            writer.around(Around::Plain, |writer| {
                writer.block(|writer| {
                    writer.vars.extend(vars);
                    for slice in slices {
                        writer.slice(slice);
                    }
                    writer.statements(most);
                })
            })
        };
        let (lines, label) = self.lending(&list.root, mutable, |writer| match &beside {
            Some(beside) => writer.lending(beside, false, inside),
            None => inside(writer),
        });
        self.line(&format!("{label}for {pattern} in {over} {lines}"));
    }

    /// A slice that is in scope from here on, with its first element and its length.
    pub(super) fn slice(&mut self, slice: Slice) {
        let (of, mutable) = (slice.of.clone(), slice.mutable);
        self.vars.push(Var { name: format!("{}.len()", slice.name), ty: Ty::Int("usize"), mutable: false });
        self.vars.push(Var { name: slice.first(), ty: of, mutable });
        self.slices.push(slice);
    }

    /// A part of a list as a slice, and what is done with it.
    pub(super) fn part_of_list(&mut self) {
        let mutable = self.choices.percent(40);
        let Some(list) = self.list(None, mutable) else { return self.assign() };
        let name = self.own_name("s");
        let begin = if list.len > 1 { self.choices.below(2) } else { 0 };
        let range = match self.choices.below(3) {
            0 => format!("{begin}.."),
            1 => format!("{begin}..={}", list.len - 1),
            _ => format!("{begin}..{}", list.len),
        };
        let sign = if mutable { "&mut " } else { "&" };
        let most = 1 + self.choices.below(3);
        let lines = self.lending(&list.root, mutable, |writer| {
            writer.block(|writer| {
                writer.line(&format!("let {name} = {sign}{}[{range}];", list.path));
                writer.slice(Slice { name: name.clone(), of: list.of.clone(), mutable });
                if mutable && writer.choices.percent(40) {
                    writer.change(&name, &list.of, list.len - begin);
                }
                writer.statements(most);
            })
        });
        self.line(&lines);
    }

    /// A change of a whole slice.
    fn change(&mut self, name: &str, of: &Ty, len: usize) {
        let line = match self.choices.below(3) {
            0 => format!("{name}.reverse();"),
            1 => {
                let root = format!("{name}[0]");
                let value = self.lending(&root, true, |writer| writer.expression(of));
                format!("{name}.fill({value});")
            }
            _ => {
                let root = format!("{name}[0]");
                let index = self.lending(&root, true, |writer| writer.index(len));
                format!("{name}.swap(0, {index});")
            }
        };
        self.line(&line);
    }

    /// A reference to a place, and what is done with it.
    pub(super) fn reference(&mut self) {
        let mutable = !self.choices.percent(30);
        let ty = match self.choices.below(7) {
            0 | 1 => Ty::Int(self.choices.one(&INTS)),
            2 => Ty::Float("f32"),
            3 => Ty::Named("Pair"),
            4 => Ty::Named("Shape"),
            5 => Ty::Array(Box::new(Ty::Int("i32")), 4),
            _ => Ty::Named("Mixed"),
        };
        let Some((place, root)) = self.rooted(&ty, mutable) else { return self.assign() };
        let name = self.own_name("r");
        let sign = if mutable { "&mut " } else { "&" };
        let most = 1 + self.choices.below(3);
        let lines = self.lending(&root, mutable, |writer| {
            writer.block(|writer| {
                writer.line(&format!("let {name} = {sign}{place};"));
                writer.vars.push(Var { name: format!("(*{name})"), ty, mutable });
                writer.statements(most);
            })
        });
        self.line(&lines);
    }
}
