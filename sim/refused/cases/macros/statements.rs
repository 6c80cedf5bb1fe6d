//! Statements of Rust that kernels do not support.
use hdl::prelude::*;

#[derive(LogicBlock, Circuit, Default)]
pub struct Block {
    pub clock: Signal<In, Clock>,
    pub a: Signal<In, Bits<4>>,
    pub o: Signal<Out, Bits<4>>,
    state: Reg<Bits<4>>,
}

fn helper() {}

impl Logic for Block {
    #[kernel]
    fn update(&mut self) {
        fn nested() {} //~ items are outside the subset; put them beside the block
        const ONE: u64 = 1; //~ items are outside the subset
        println!("{}", ONE); //~ only `clock!`, `dff_setup!`, `reset!`, `link!` and `display!` are macros of the subset
        display!("{}"); //~ the text has more `{}` than words after it
        display!("{}", ONE, ONE); //~ the text has no `{}` for this word
        display!("{:?}", ONE); //~ `{:?}` is outside the subset; `{}`, `{:x}` and `{:b}` print a word
        display!("{a.b}"); //~ braces hold a name at most; write `{}` and the word after the text
        display!("{0}"); //~ braces hold a name at most
        display!("{+}"); //~ `+` is not a name; write `{}` and the word after the text
        display!("{"); //~ a `{` in a text is written `{{`
        display!("}"); //~ a `}` in a text is written `}}`
        display!("§"); //~ a text has printable ASCII characters, `\t` and `\n`
        helper(); //~ a call is not a statement of the subset
        self.a.val(); //~ this statement is outside the subset; kernels have assignments to `.next`, `let`, `if`, `match` and `for`
        while false {} //~ this statement is outside the subset
        loop { //~ this statement is outside the subset
            break;
        }
        'outer: { //~ this statement is outside the subset
            self.o.next = self.a.val();
        }
        if self.a.val() == 4 {
            return; //~ `return` is outside the subset
        }
        let (x, y) = (1, 2); //~ `let` binds one name
        let (z, ..): Bits<4> = 3.into(); //~ `let` binds one name
        let _ = self.a.val(); //~ `let` binds one name
        let mut m = self.a.val();
        m.high = self.a.val(); //~ only a `let mut`, `.next` of a signal, or a field of it, can be assigned
        let Upper = self.a.val(); //~ a `let` name begins in lower case
        let later; //~ `let` needs a value, and no `else`
        let ref r = self.a.val(); //~ `let` binds a plain name
        let kept @ w = self.a.val(); //~ `let` binds a plain name
        let v = self.a.val() else { return }; //~ `let` needs a value, and no `else`
        self.o = Default::default(); //~ only a `let mut`, `.next` of a signal, or a field of it, can be assigned
        self.o.changed = true; //~ only a `let mut`, `.next` of a signal, or a field of it, can be assigned
        m.next.0 = 1; //~ tuples are outside the subset
    }
}
