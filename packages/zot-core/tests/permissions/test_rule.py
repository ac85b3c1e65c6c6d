"""Rules as people write them: those of Claude Code, and those that no call can match."""

import pytest

from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_permissions, parse_rule
from zot_provider.errors import ConfigError


def verdict(action: str, rule: str, command: str) -> str:
    rules = parse_permissions({action: [rule]}, "config.json").rules
    return Judge(rules, "yolo" if action != "allow" else "ask").judge_command(command, "/").action


@pytest.mark.parametrize("command", ["touch", "touch x", "touch -c a b", "ls; touch x", "env touch x", "touch:x"])
def test_a_deny_in_the_spelling_of_claude_code_denies(command: str) -> None:
    for rule in ("bash(touch:*)", "Bash(touch:*)", "bash(touch :*)"):
        assert verdict("deny", rule, command) == "deny" or (" :" in rule and ":" in command)


def test_it_covers_whole_words_and_what_follows_a_colon() -> None:
    assert verdict("deny", "Bash(npm run test:*)", "npm run test:unit --watch") == "deny"
    assert verdict("deny", "Bash(rm:*)", "rmdir x") == "allow"
    assert verdict("allow", "Bash(npm run test:*)", "npm run test a") == "allow"
    assert verdict("allow", "Bash(npm run test:*)", "npm run tests") == "ask"
    assert verdict("deny", "Bash(:*)", "anything") == "deny"
    assert verdict("deny", "Bash(*)", "x=$y; $x") == "deny"


@pytest.mark.parametrize(
    ("text", "tool"),
    [
        ("WebFetch(domain:example.com)", "fetch"),
        ("MultiEdit(src/**)", "edit"),
        ("NotebookEdit", "edit"),
        ("TodoWrite", "todo"),
        ("mcp__github", "mcp__github__delete_repo"),
        ("mcp__git_hub", "mcp__git_hub__x"),
        ("MCP__github", "mcp__github__delete_repo"),
        ("mcp__github__*", "mcp__github__delete_repo"),
        ("mcp__github__delete_repo", "mcp__github__delete_repo"),
    ],
)
def test_tools_of_claude_code_and_of_servers_are_those_that_are_meant(text: str, tool: str) -> None:
    (rule,) = parse_permissions({"deny": [text]}, "config.json").rules
    assert rule.names(tool)
    assert not rule.names("mcp__githubs__delete_repo")


@pytest.mark.parametrize("text", ["read(*)", "edit(**)", "write(:*)", "deploy(*)"])
def test_a_star_alone_holds_back_every_call_and_allows_only_what_it_names(text: str) -> None:
    assert (parse_rule("deny", text).pattern, parse_rule("ask", text).pattern) == (None, None)
    assert parse_rule("allow", text).pattern is not None


@pytest.mark.parametrize(
    "text",
    [
        *("bsh(rm *)", "Bashh", "raed(.env)", "wrte(x)", "fech(x.test)", "edti", "agnet", "gerp(x)"),
        *("bash(rm x && ls)", "bash(cat a | sh)", "bash(curl * | sh)", "bash(rm x; ls)", "bash(a ; b)", "bash(make &)"),
        *("bash(echo x > y)", "bash(make 2>&1)", "bash(cat <x)", "bash(FOO=1 make *)", "bash(rm -rf $HOME)"),
        *("bash(echo $(date))", "bash(echo `date`)", "bash(rm ${x})", "read($HOME/.ssh)", "read(~root/x)"),
        *("bash(rm *),bash(mv *)", "bash(rm *) bash(mv *)", "bash(bash(rm *))", "Bash(Bash(rm:*))", "bash(rm *)(x)"),
        *("read(**/../x)", "read(*/./x)", "edit(src/*//x)"),
        *("bash(to\u0443ch *)", "read(s\u0435cret/**)", "fetch(ex\u0430mple.com)", "deploy(pr\u043ed)"),
        *("bash(rm\u200d *)", "read(.env\u200b)", "fetch(\ufeffevil.com)", "mcp__a__b(x\u2060)"),
        *("bash(rm \uff0a)", "bash(rm \u2217)", "bash(rm \u2026)", "bash(git push \u2013force)", "bash(\uff52m *)"),
        *("bash(git push \u2014force *)", "bash(\u201crm\u201d *)", "bash(rm \u2212rf *)"),
        *(
            'bash("rm *")',
            "bash('git push' *)",
            "bash({rm,mv} *)",
            "bash(git {push,pull} *)",
            "bash(rm|mv *)",
            "bash:rm",
            "bash.git-push-force",
        ),
        *("bash(.*rm.*)", "bash(!rm *)", "bash(#rm)", "bash(/rm/)", "bash(rm *, mv *)", "read(*.{pem,key})"),
        *("read(id_[rd]sa)", "read([a-z]*)", 'read(".env")', "read('.env')", "read(.env|.envrc)", "read(.env, .envrc)"),
        *("mcp__github(delete_repo)", "mcp__github__*(x)"),
        *("bash($ rm *)", "bash(rm ...)", r"bash(git\ push *)", r"bash(rm \*)", r"bash(rm\*)"),
        *(r"bash(touch\s+.*)", r"bash(rm\b)", r"bash(rm \d+)", "bash(rm -rf.*)", "bash(rm .+)"),
        *("bash(rm [a-z]+)", "bash(/rm .*/)", "bash(/rm -rf/i)", "bash(rm$)", "bash(git push --force$)"),
        *("bash(git push:--force)", "bash(rm:-rf)", "bash(git:push)", "bash(rm :-rf)", "bash(prefix:rm)"),
        *("bash(find:* -delete)", "read( ** /*token*)", "read(**/ x)", "read(.env .*)"),
        *(
            "bash([rR]m *)",
            "bash(r[m] *)",
            "bash(rm [abc])",
            "bash(rm -[rf]+)",
            "bash(git pu[sl]* )",
            "bash(git push|pull)",
        ),
        *("bash(rm*$)", "bash(cat a |sh)", "bash(a &&b)", "bash(command: rm *)", "bash(Command:rm *)", "bash(path=x)"),
        *("read([.]env)", "read(**/[.]env)", "read([rR]eadme)", "read(a/[b]*)", "read(path: x)", "read(regex:x)"),
        *("read(file_path: .env)", "read(glob:*.env)", "read(path=.env)", "edit(src: **)", "write(pattern:x)"),
        *(r"read(.*\.env)", "read(.env$)", r"read(\w+.key)", "read(id_.+)"),
        *(
            "all",
            "Tools",
            "everything(x)",
            "tools:bash",
            "builtin.bash(rm *)",
            "touch",
            "rm(-rf *)",
            "sudo",
            "Chmod(+x *)",
        ),
        *("bash(touch FILE)", "bash(rm -rf PATH)", "bash(rm DIR/*)", "bash(curl [URL])", "bash(cp FILE1 FILE2)"),
        *(
            "edit(file:ran)",
            "edit(path=ran)",
            "edit(file=ran)",
            "read(dirs: x)",
            "read(folder:x)",
            "read(path/to/file)",
        ),
        *("read(!.env)", "read(a\0b)", r"read(^\.env)", "read(file:///etc/passwd)", ".env"),
    ],
)
@pytest.mark.parametrize("action", ["allow", "ask", "deny"])
def test_a_rule_that_no_call_can_match_is_an_error_that_names_file_and_key(action: str, text: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_permissions({action: [text]}, "config.json")
    assert str(error.value).startswith(f"config.json: permissions.{action}: {text!r}: ")
    assert parse_permissions({action: [text]}, "permissions.json", typed=False).rules


@pytest.mark.parametrize(
    "text",
    [
        *(
            "bash(ls 'FILE')",
            "bash(make NAME=x)",
            "bash(cat FILES.md)",
            "read(FILE)",
            r"read(file\=x)",
            "read(a/path/to)",
        ),
        *("run", "command", "git(push *)", "install(x)", "patch", "mcp:bsh", "update(x)"),
        *("deploy(prod)", "search", "webpack(x)", "mcp__bsh__x", "telegram_send_image", "Task", "skill"),
        *("LSP(x)", "PowerShell", "repl"),
        *(r"bash(find * -exec rm {} \;)", "bash(find * -exec rm {} ;)", "bash(echo '&&')", "bash(grep 'a|b' *)"),
        *("bash(curl http://x/?a=1&b=2)", "bash(awk '{print $1}' *)", "bash(grep foo$ *)", "bash(git commit -m *)"),
        *("bash(docker run a:* sh)", "read(My Report *)", "read(* copy.txt)", "bash(git push :* )"),
        *("bash(npm run test:unit)", "bash(git push origin HEAD:main)", "bash(docker run a:1 *)", "bash(git add .)"),
        *(
            "bash(rm *.*)",
            "bash(cat .env.*)",
            "bash(mkfs.*)",
            "bash(g++ *)",
            r"bash(grep '\d+$' *)",
            r'bash(grep "\d+$" *)',
            "bash(ls a/[id]/*)",
        ),
        *("bash(/opt/bin/tool a/)", "bash(rm .?*)", "read(.*.swp)", "read(c++/x)", r"read(a\$)", "terminal", "exec"),
        *("bash(make CC=clang)", "bash(echo '$HOME')", r"bash(echo \$HOME)", r"bash(find \( *)"),
        *(
            "edit(app/[id]/[[...slug]].tsx)",
            r"read(a\[b])",
            r"read(a\|b)",
            r"read(\!a)",
            "read(a,b)",
            "bash(tar -C a/)",
        ),
        *("bash(git stash show stash@{0})", "bash(find * -exec cat {} +)", "bash(jq '{a,b}' *)", "bash([ -f x ])"),
        *(
            "bash(touch: *)",
            "bash(file:*)",
            "bash(: *)",
            "bash(pip install a[b])",
            r"bash(\[rR]m *)",
            "bash('[rR]m' *)",
        ),
        *(
            r"read(path\: x)",
            r"read(\[.]env)",
            "edit([id]/page.tsx)",
            "edit([slug].tsx)",
            "read(a:b)",
            "read(year=2024/**)",
        ),
        *("read(C:/x)", "bash(make path=x)", "bash(echo a: b)", "bash([[ -f x ]])"),
        *("read(../other/**)", "read(./a/../b)", "read(**/.env)", "edit(src/**/)", "read(~/.ssh/**)", r"read(a\*/./b)"),
        *(
            "read(\u041e\u0442\u0447\u0451\u04422024.pdf)",
            "read(\U0001f469\u200d\U0001f467.png)",
            "bash(git commit -m '\u2026')",
        ),
        *("read(\u201cq\u201d.txt)", "fetch(\u043f\u0440\u0438\u043c\u0435\u0440.\u0440\u0444)", "bash(echo a\u2013b)"),
    ],
)
def test_a_rule_that_a_call_may_match_is_none(text: str) -> None:
    assert parse_rule("deny", text)
    assert parse_permissions({"deny": [text]}, "config.json").rules


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            r"bash(rm \d+)",
            r"'\\d' looks like a regular expression or an example, which a rule is not: * is any text, ? one character;"
            " quote it if it is a part of a word",
        ),
        (
            "read(.env$)",
            "'v$' looks like a regular expression or an example, which a rule is not: * is any text, ? one character of"
            " a name",
        ),
        (
            "read(*.{pem,key})",
            "'{pem,key}' is plain text here; write a rule for each, or a backslash before it if it is a part of a name",
        ),
    ],
)
def test_an_error_about_a_pattern_says_how_such_a_rule_is_written(text: str, why: str) -> None:
    with pytest.raises(ConfigError) as error:
        parse_permissions({"deny": [text]}, "config.json")
    assert str(error.value) == f"config.json: permissions.deny: {text!r}: {why}"


def test_an_error_about_a_colon_shows_the_rule_that_is_meant() -> None:
    with pytest.raises(ConfigError, match=r"as in 'git push --force:x'; only ':\*' at the end is known$"):
        parse_permissions({"deny": ["bash(git push:--force:x)"]}, "config.json")


def test_a_word_that_may_be_a_glob_or_an_expression_holds_back_what_either_means() -> None:
    for rule in ("bash(rm -rf .*)", "Bash(rm -rf .*)", "bash(rm -rf .* **)"):
        for command in ("rm -rf .git", "rm -rf build", "cd x && rm -rf a b"):
            assert verdict("deny", rule, command) == "deny"
        assert verdict("deny", rule, "rmdir build") == "allow"
    for rule, command in (
        ("bash(cp.*)", "cp a b"), ("bash(cp.* **)", "cp a b"), ("bash(c.*)", "cp a b"),
        ("bash(cp.*-r *)", "cp -a -r b"),
        ("bash(git.*push)", "git -c a=b push"), ("bash(git push.*)", "git push -f"), ("bash(mkfs.*)", "mkfs.ext4 a"),
    ):  # fmt: skip
        assert verdict("deny", rule, command) == "deny", rule
        assert verdict("ask", rule, command) == "ask", rule
        assert verdict("allow", rule, command) == ("allow" if "ext4" in command else "ask"), rule
    for rule in ("bash(cp *.*)", r"bash(cp\.*)", "bash('cp.'*)"):
        assert verdict("deny", rule, "cp a b") == "allow", rule
    assert verdict("deny", "bash(cp .* /tmp)", "cp a b /tmp") == "deny"
    assert verdict("deny", "bash(grep '.* x' *)", "grep 'y x' a") == "allow"
    assert verdict("allow", "bash(pytest .*)", "pytest .x") == "allow"
    assert verdict("allow", "bash(pytest .*)", "pytest x") == "ask"


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        *(("shell(rm *)", "bash"), ("run_shell_command(rm:*)", "bash"), ("terminal(rm *)", "bash")),
        *(
            ("read_file(.env)", "read"),
            ("create_file(x)", "write"),
            ("run(touch *)", "bash"),
            ("command(touch *)", "bash"),
            ("RunShellCommand(rm *)", "bash"),
            ("files(.env)", "read"),
            ("ReadFileTool(.env)", "read"),
            ("network(a.test)", "fetch"),
            ("str_replace(x)", "edit"),
            ("read_url(a.test)", "fetch"),
        ),
    ],
)
def test_a_pattern_for_a_tool_of_another_program_names_the_tool_that_is_meant(text: str, meant: str) -> None:
    for action in ("ask", "deny"):
        with pytest.raises(ConfigError, match=f"there is no tool .*; did you mean {meant}?"):
            parse_permissions({action: [text]}, "config.json")
    assert parse_permissions({"allow": [text], "deny": [text.partition("(")[0]]}, "config.json").rules


@pytest.mark.parametrize("value", [{"deny": None}, {"mode": None}, {"deny": {}}, {"deny": "bash"}, {"deny": [None]}])
def test_what_is_no_list_of_rules_is_an_error(value: object) -> None:
    with pytest.raises(ConfigError, match=r"^config\.json: permissions\.(deny|mode): expected"):
        parse_permissions(value, "config.json")
