//! Cache folder of fetched tools, and which tools may be used: the three environment settings.

use super::error::{Result, ToolError};
use super::pins::Tool;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::PathBuf;

/// Tools that may be used, from `PHASECUBE_TOOLS`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum Policy {
    /// A system tool if its version is sufficient, otherwise the pinned one.
    #[default]
    Auto,
    /// Only the pinned tools.
    Pinned,
    /// Only system tools. Nothing is fetched.
    System,
}

impl Policy {
    /// Reads `PHASECUBE_TOOLS`. The accepted values are `auto`, `pinned` and `system`. Unset and
    /// empty mean `auto`.
    pub fn from_env() -> Result<Policy> {
        Self::parse(std::env::var("PHASECUBE_TOOLS").ok().as_deref())
    }

    fn parse(value: Option<&str>) -> Result<Policy> {
        match value {
            None | Some("" | "auto") => Ok(Policy::Auto),
            Some("pinned") => Ok(Policy::Pinned),
            Some("system") => Ok(Policy::System),
            Some(other) => Err(ToolError::Invalid(format!(
                "PHASECUBE_TOOLS={other} is unknown; accepted: auto, pinned or system"
            ))),
        }
    }
}

/// Tools that are treated as missing even if they are installed. `PHASECUBE_WITHOUT` lists them
/// with commas. Shows or tests the behaviour without them.
pub fn without_from_env() -> Result<BTreeSet<Tool>> {
    parse_without(
        std::env::var("PHASECUBE_WITHOUT")
            .as_deref()
            .unwrap_or_default(),
    )
}

fn parse_without(value: &str) -> Result<BTreeSet<Tool>> {
    let names = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let tool = |name: &str| {
        let tool = Tool::ALL.into_iter().find(|tool| tool.name() == name);
        tool.ok_or_else(|| {
            let known = Tool::ALL.map(Tool::name).join(", ");
            ToolError::Invalid(format!(
                "PHASECUBE_WITHOUT names {name:?}, which is not a tool; accepted: {known}"
            ))
        })
    };
    names.map(tool).collect()
}

/// Returns the cache folder: `$PHASECUBE_CACHE`, otherwise `$XDG_CACHE_HOME/phasecube`, otherwise
/// `~/.cache/phasecube`.
///
/// # Errors
/// If none of the three variables is set.
pub fn cache_dir() -> Result<PathBuf> {
    find()?.ok_or_else(no_cache_error)
}

/// Returns the cache folder, or `None` if none of the three variables is set.
pub(super) fn find() -> Result<Option<PathBuf>> {
    cache_from_variables(|name| std::env::var_os(name))
}

/// Error for a tool that cannot be fetched because there is no cache folder.
pub(super) fn no_cache_error() -> ToolError {
    ToolError::Invalid(
        "there is no folder for fetched tools; set PHASECUBE_CACHE, XDG_CACHE_HOME or HOME".into(),
    )
}

fn cache_from_variables(var: impl Fn(&str) -> Option<OsString>) -> Result<Option<PathBuf>> {
    let path = |name| {
        var(name)
            .filter(|value| !value.is_empty())
            .map(PathBuf::from)
    };
    if let Some(own) = path("PHASECUBE_CACHE") {
        let absolute = std::path::absolute(&own).map(Some);
        return absolute
            .map_err(|e| ToolError::Invalid(format!("PHASECUBE_CACHE={}: {e}", own.display())));
    }
    // The XDG convention requires that a relative path is ignored.
    if let Some(xdg) = path("XDG_CACHE_HOME").filter(|p| p.is_absolute()) {
        return Ok(Some(xdg.join("phasecube")));
    }
    Ok(path("HOME").map(|home| home.join(".cache").join("phasecube")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(vars: &[(&str, &str)]) -> Option<String> {
        let find = |name: &str| {
            let (_, value) = vars.iter().find(|(n, _)| *n == name)?;
            Some(OsString::from(value))
        };
        let found = cache_from_variables(find).unwrap();
        found.map(|p| p.to_string_lossy().into_owned())
    }

    // Claim: the order is PHASECUBE_CACHE, XDG_CACHE_HOME, HOME. An empty variable counts as unset.
    #[test]
    fn order_of_choice() {
        let all = [
            ("PHASECUBE_CACHE", "/a"),
            ("XDG_CACHE_HOME", "/b"),
            ("HOME", "/c"),
        ];
        assert_eq!(chosen(&all).unwrap(), "/a");
        assert_eq!(chosen(&all[1..]).unwrap(), "/b/phasecube");
        assert_eq!(chosen(&all[2..]).unwrap(), "/c/.cache/phasecube");
        assert_eq!(
            chosen(&[("PHASECUBE_CACHE", ""), ("HOME", "/c")]).unwrap(),
            "/c/.cache/phasecube"
        );
        assert_eq!(chosen(&[]), None);
    }

    // Claim: a relative PHASECUBE_CACHE is made absolute, because tools run in other folders.
    #[test]
    fn relative_is_made_absolute() {
        let path = chosen(&[("PHASECUBE_CACHE", "some/where")]).unwrap();
        assert!(PathBuf::from(&path).is_absolute() && path.ends_with("some/where"));
    }

    // Claim: tools are hidden by name, and only then.
    #[test]
    fn hidden_tools() {
        assert_eq!(parse_without("").unwrap(), BTreeSet::new());
        let two = BTreeSet::from([Tool::IceboxVlog, Tool::Verilator]);
        assert_eq!(parse_without("icebox_vlog, verilator").unwrap(), two);
        let error = parse_without("icebox").unwrap_err().to_string();
        assert!(
            error.contains("\"icebox\"") && error.contains("icebox_vlog"),
            "{error}"
        );
    }

    // Claim: an unknown policy is rejected, and the error lists the accepted ones.
    #[test]
    fn policies() {
        assert_eq!(Policy::parse(None).unwrap(), Policy::Auto);
        assert_eq!(Policy::parse(Some("pinned")).unwrap(), Policy::Pinned);
        assert_eq!(Policy::parse(Some("system")).unwrap(), Policy::System);
        let error = Policy::parse(Some("latest")).unwrap_err().to_string();
        assert!(error.contains("latest") && error.contains("auto, pinned or system"));
    }
}
