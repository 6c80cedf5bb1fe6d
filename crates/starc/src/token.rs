//! Tokens of C. The text between tokens (spaces, comments, directives) belongs to the next token, so
//! the tokens of a file make up its whole text.

use crate::diagnostic::Position;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// Identifier or keyword.
    Word,
    Number,
    /// String or character constant.
    Text,
    Punctuator,
    /// End of the file.
    End,
}

#[derive(Clone, Debug)]
pub struct Token {
    pub kind: TokenKind,
    pub text: String,
    /// Spaces, comments and directives before the token.
    pub lead: String,
    pub position: Position,
    /// Text that replaces the token in the output.
    pub output: Option<String>,
    /// Number of the macro invocation that the token comes from.
    pub invocation: Option<usize>,
}

impl Token {
    pub fn is(&self, text: &str) -> bool {
        self.text == text && matches!(self.kind, TokenKind::Word | TokenKind::Punctuator)
    }

    pub fn is_word(&self) -> bool {
        self.kind == TokenKind::Word
    }
}

/// `#define` line.
#[derive(Clone, Debug)]
pub struct Define {
    pub name: String,
    /// Names of the parameters, of a macro with parentheses.
    pub parameters: Option<Vec<String>>,
    pub body: Vec<Token>,
}

/// Directive that concerns macros, before the token with number `token`.
#[derive(Clone, Debug)]
pub struct Directive {
    pub token: usize,
    /// The macro's name, and its definition, or `None` after `#undef`.
    pub name: String,
    pub define: Option<Define>,
}

/// Tokens of a file, with its definitions of macros.
#[derive(Debug, Default)]
pub struct Source {
    pub tokens: Vec<Token>,
    pub directives: Vec<Directive>,
}

/// Comment or string that does not end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unterminated {
    pub what: &'static str,
    pub position: Position,
}

/// Punctuators of more than one character, longest first.
const LONG_PUNCTUATORS: [&str; 24] = [
    "...", "<<=", ">>=", "->", "++", "--", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+=",
    "-=", "*=", "/=", "%=", "&=", "^=", "|=", "##", "::",
];

struct Lexer<'a> {
    text: &'a str,
    /// Offset in bytes.
    at: usize,
    position: Position,
}

/// Splits a file into tokens.
///
/// # Errors
/// If a comment, a string or a character constant does not end.
pub fn lex(text: &str) -> Result<Source, Unterminated> {
    let start = Position { line: 1, column: 1 };
    let mut lexer = Lexer { text, at: 0, position: start };
    let mut source = Source::default();
    loop {
        let begins = lexer.at;
        lexer.skip_lead(&mut source)?;
        let lead = &text[begins..lexer.at];
        let position = lexer.position;
        let begins = lexer.at;
        let kind = lexer.skip_token()?;
        source.tokens.push(Token {
            kind,
            text: text[begins..lexer.at].to_owned(),
            lead: lead.to_owned(),
            position,
            output: None,
            invocation: None,
        });
        if kind == TokenKind::End {
            return Ok(source);
        }
    }
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) {
        let Some(next) = self.peek() else { return };
        self.at += next.len_utf8();
        if next == '\n' {
            self.position.line += 1;
            self.position.column = 1;
        } else {
            self.position.column += 1;
        }
    }

    fn bump_by(&mut self, bytes: usize) {
        let end = self.at + bytes;
        while self.at < end {
            self.bump();
        }
    }

    fn bump_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
    }

    /// Skips a `\` and the end of its line.
    fn skip_continuation(&mut self) -> bool {
        let rest = self.rest();
        let length = ["\\\n", "\\\r\n"].iter().find(|c| rest.starts_with(**c));
        if let Some(continuation) = length {
            self.bump_by(continuation.len());
        }
        length.is_some()
    }

    fn skip_comment(&mut self) -> Result<bool, Unterminated> {
        if self.rest().starts_with("//") {
            while self.peek().is_some_and(|c| c != '\n') {
                if !self.skip_continuation() {
                    self.bump();
                }
            }
            return Ok(true);
        }
        if !self.rest().starts_with("/*") {
            return Ok(false);
        }
        let position = self.position;
        let what = "comment";
        let length = self.rest()[2..].find("*/");
        self.bump_by(length.ok_or(Unterminated { what, position })? + 4);
        Ok(true)
    }

    /// Skips spaces, comments and directives.
    fn skip_lead(&mut self, source: &mut Source) -> Result<(), Unterminated> {
        let mut line_begins = self.at == 0 || self.text[..self.at].ends_with('\n');
        loop {
            let before = self.position.line;
            self.bump_while(char::is_whitespace);
            line_begins |= self.position.line > before;
            if self.skip_continuation() || self.skip_comment()? {
                continue;
            }
            if !line_begins || self.peek() != Some('#') {
                return Ok(());
            }
            self.skip_directive(source)?;
        }
    }

    /// Skips a directive, and records a definition. Skips the lines between `#if 0` and its end.
    fn skip_directive(&mut self, source: &mut Source) -> Result<(), Unterminated> {
        let mut tokens = self.directive_line()?;
        let words: Vec<&str> = tokens.iter().map(|t| t.text.as_str()).collect();
        match words[..] {
            ["if", "0", ..] => {
                let mut depth = 1;
                while depth > 0 && self.peek().is_some() {
                    self.bump_while(|c| c.is_whitespace());
                    if self.peek() != Some('#') {
                        self.bump_while(|c| c != '\n');
                        continue;
                    }
                    let line = self.directive_line()?;
                    match line.first().map(|t| t.text.as_str()) {
                        Some("if" | "ifdef" | "ifndef") => depth += 1,
                        Some("endif") => depth -= 1,
                        Some("else" | "elif") if depth == 1 => depth = 0,
                        _ => {}
                    }
                }
            }
            ["undef", name, ..] => source.directives.push(Directive {
                token: source.tokens.len(),
                name: name.to_owned(),
                define: None,
            }),
            ["define", name, ..] => {
                let name = name.to_owned();
                tokens.drain(..2);
                let parameters = take_parameters(&mut tokens);
                let define = Some(Define { name: name.clone(), parameters, body: tokens });
                source.directives.push(Directive { token: source.tokens.len(), name, define });
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads the tokens of a directive, without `#`.
    fn directive_line(&mut self) -> Result<Vec<Token>, Unterminated> {
        let line = {
            let begins = self.at;
            while self.peek().is_some_and(|c| c != '\n') {
                let quote = self.peek().filter(|c| *c == '"');
                if self.skip_continuation() || self.skip_comment()? {
                    continue;
                }
                self.bump();
                if quote.is_some() {
                    self.bump_while(|c| c != '"' && c != '\n');
                }
            }
            &self.text[begins + 1..self.at]
        };
        // A directive has no directives, and its tokens no places of their own. An apostrophe in
        // #error is no character constant.
        let mut inner = Lexer { text: line, at: 0, position: self.position };
        let mut tokens = vec![];
        loop {
            let begins = inner.at;
            loop {
                inner.bump_while(char::is_whitespace);
                if !inner.skip_continuation() && !inner.skip_comment()? {
                    break;
                }
            }
            let lead = if inner.at > begins { " " } else { "" };
            let begins = inner.at;
            let Ok(kind) = inner.skip_token() else {
                return Ok(tokens);
            };
            if kind == TokenKind::End {
                return Ok(tokens);
            }
            tokens.push(Token {
                kind,
                text: line[begins..inner.at].to_owned(),
                lead: lead.to_owned(),
                position: self.position,
                output: None,
                invocation: None,
            });
        }
    }

    fn skip_token(&mut self) -> Result<TokenKind, Unterminated> {
        let Some(first) = self.peek() else {
            return Ok(TokenKind::End);
        };
        if let Some(kind) = self.skip_quoted()? {
            return Ok(kind);
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let rest = self.rest();
        let digit_after_point = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
        if first.is_ascii_digit() || digit_after_point {
            let mut previous = ' ';
            while let Some(next) = self.peek() {
                let exponent = matches!(previous, 'e' | 'E' | 'p' | 'P')
                    && matches!(next, '+' | '-')
                    && !(rest.starts_with("0x") && matches!(previous, 'e' | 'E'));
                if !is_word(next) && next != '.' && !exponent {
                    break;
                }
                previous = next;
                self.bump();
            }
            return Ok(TokenKind::Number);
        }
        if is_word(first) {
            self.bump_while(is_word);
            return Ok(TokenKind::Word);
        }
        match LONG_PUNCTUATORS.iter().find(|p| rest.starts_with(**p)) {
            Some(long) => self.bump_by(long.len()),
            None => self.bump(),
        }
        Ok(TokenKind::Punctuator)
    }

    /// Skips a string or a character constant, with its prefix.
    fn skip_quoted(&mut self) -> Result<Option<TokenKind>, Unterminated> {
        let rest = self.rest();
        let prefixes = ["u8\"", "L\"", "u\"", "U\"", "L'", "u'", "U'", "\"", "'"];
        let Some(prefix) = prefixes.iter().find(|p| rest.starts_with(**p)) else {
            return Ok(None);
        };
        let quote = prefix.chars().last();
        let (what, position) = match quote {
            Some('"') => ("string", self.position),
            _ => ("character constant", self.position),
        };
        self.bump_by(prefix.len());
        loop {
            match self.peek() {
                Some('\\') => {
                    self.bump();
                    self.bump();
                }
                None | Some('\n') => return Err(Unterminated { what, position }),
                next => {
                    self.bump();
                    if next == quote {
                        return Ok(Some(TokenKind::Text));
                    }
                }
            }
        }
    }
}

/// Removes the parameter list of a macro from its tokens.
fn take_parameters(tokens: &mut Vec<Token>) -> Option<Vec<String>> {
    // A parenthesis after a space belongs to the body.
    let first = tokens.first()?;
    if !first.is("(") || !first.lead.is_empty() {
        return None;
    }
    let end = tokens.iter().position(|t| t.is(")"))?;
    let list = tokens.drain(..=end).filter(|t| t.is_word() || t.is("..."));
    Some(list.map(|t| t.text).collect())
}
