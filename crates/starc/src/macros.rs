//! Expansion of the file's own macros. The parser sees the expanded tokens. The output keeps the
//! invocation as it was written, unless the translation changes one of its tokens.

use crate::token::{Define, Source, Token, TokenKind};
use std::collections::HashMap;

/// Tokens after expansion, and the text of each macro invocation.
#[derive(Debug, Default)]
pub struct Expanded {
    pub tokens: Vec<Token>,
    pub invocations: Vec<String>,
}

/// Most tokens of one expansion. A macro that exceeds them stays as it is.
const MOST_TOKENS: usize = 100_000;

/// Expands the macros that the file defines, each from its definition on.
pub fn expand(source: Source) -> Expanded {
    let mut defines: HashMap<String, Define> = HashMap::new();
    let mut directives = source.directives.into_iter().peekable();
    let mut result = Expanded::default();
    let tokens = source.tokens;
    let mut at = 0;
    // Text of invocations that expand to nothing.
    let mut carried = String::new();
    while at < tokens.len() {
        while let Some(directive) = directives.next_if(|d| d.token <= at) {
            match directive.define {
                // A macro with # or ## stays as it is.
                Some(define) if !define.body.iter().any(|t| t.is("#") || t.is("##")) => {
                    defines.insert(directive.name, define);
                }
                _ => {
                    defines.remove(&directive.name);
                }
            }
        }
        let expansion = expand_one(&tokens[at..], &defines, &mut vec![]);
        let Some((used, mut body)) = expansion.filter(|(_, body)| body.len() <= MOST_TOKENS) else {
            let mut token = tokens[at].clone();
            token.lead.insert_str(0, &std::mem::take(&mut carried));
            result.tokens.push(token);
            at += 1;
            continue;
        };
        let first = &tokens[at];
        let rest = tokens[at + 1..at + used].iter();
        let written = rest.fold(first.text.clone(), |text, t| text + &t.lead + &t.text);
        at += used;
        let lead = std::mem::take(&mut carried) + &first.lead;
        let Some(head) = body.first_mut() else {
            carried = lead + &written;
            continue;
        };
        head.lead = lead;
        for token in &mut body {
            token.position = first.position;
            token.invocation = Some(result.invocations.len());
        }
        result.tokens.append(&mut body);
        result.invocations.push(written);
    }
    result
}

/// Expands the macro at the beginning of `tokens`, if there is one. Returns the number of its tokens
/// and the expansion.
fn expand_one(
    tokens: &[Token],
    defines: &HashMap<String, Define>,
    active: &mut Vec<String>,
) -> Option<(usize, Vec<Token>)> {
    let first = &tokens[0];
    let define = defines.get(&first.text).filter(|_| first.is_word())?;
    if active.contains(&define.name) {
        return None;
    }
    let (used, body) = match &define.parameters {
        None => (1, define.body.clone()),
        Some(parameters) => {
            let (used, arguments) = arguments(tokens)?;
            let body = substitute(define, parameters, &arguments, defines, active)?;
            (used, body)
        }
    };
    active.push(define.name.clone());
    let body = expand_all(&body, defines, active);
    active.pop();
    Some((used, body))
}

fn expand_all(
    tokens: &[Token],
    defines: &HashMap<String, Define>,
    active: &mut Vec<String>,
) -> Vec<Token> {
    let (mut at, mut expanded) = (0, vec![]);
    while at < tokens.len() && expanded.len() <= MOST_TOKENS {
        match expand_one(&tokens[at..], defines, active) {
            Some((used, body)) => {
                expanded.extend(body);
                at += used;
            }
            None => {
                expanded.push(tokens[at].clone());
                at += 1;
            }
        }
    }
    expanded
}

/// Splits the arguments of an invocation. Returns the number of its tokens, or `None` without
/// parentheses.
fn arguments(tokens: &[Token]) -> Option<(usize, Vec<Vec<Token>>)> {
    if !tokens.get(1)?.is("(") {
        return None;
    }
    let mut list = vec![vec![]];
    let mut depth = 0;
    for (number, token) in tokens.iter().enumerate().skip(2) {
        match token.text.as_str() {
            _ if token.kind == TokenKind::End => return None,
            _ if token.kind != TokenKind::Punctuator => {}
            ")" if depth == 0 => return Some((number + 1, list)),
            "," if depth == 0 => {
                list.push(vec![]);
                continue;
            }
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        list.last_mut()?.push(token.clone());
    }
    None
}

/// Replaces the parameters in the body of a macro. Returns `None` if the number of arguments is
/// wrong, so that the compiler reports it.
fn substitute(
    define: &Define,
    parameters: &[String],
    arguments: &[Vec<Token>],
    defines: &HashMap<String, Define>,
    active: &mut Vec<String>,
) -> Option<Vec<Token>> {
    let variadic = parameters.last().is_some_and(|p| p == "...");
    let named = parameters.len() - usize::from(variadic);
    let fits = match arguments.len() {
        // f() has one empty argument.
        1 if named == 0 => variadic || arguments[0].is_empty(),
        given if variadic => given >= named,
        given => given == named,
    };
    if !fits {
        return None;
    }
    let mut body = vec![];
    for token in &define.body {
        let parameter = parameters.iter().position(|p| *p == token.text);
        let is_rest = variadic && token.is("__VA_ARGS__");
        let mut replaced = match parameter.filter(|_| token.is_word() && !is_rest) {
            Some(number) => expand_all(arguments.get(number)?, defines, active),
            None if is_rest => {
                let mut comma = token.clone();
                comma.text = ",".into();
                comma.kind = TokenKind::Punctuator;
                let rest = arguments.get(named..).unwrap_or_default();
                let rest = rest.join(&comma);
                expand_all(&rest, defines, active)
            }
            None => vec![token.clone()],
        };
        if let Some(first) = replaced.first_mut() {
            first.lead.clone_from(&token.lead);
        }
        body.append(&mut replaced);
    }
    Some(body)
}
