"""A line that makes a file and runs it: what it runs is what it writes, whatever writes it."""

import pytest

from zot_core.permissions.judge import Judge
from zot_core.permissions.rule import parse_rule


def judge(command: str) -> str:
    return Judge([parse_rule("deny", "bash(mark *)")], "yolo").judge_command(command, "/").action


MADE = [
    "BASH_ENV=<(echo mark v) bash -c true", "GIT_CONFIG_PARAMETERS=\"'alias.x=!mark v'\" git x",
    "PYTHONSTARTUP=<(echo x) python3 -i", "PERL5DB='BEGIN{system(\"mark v\")}' perl -d -e 1",
    "echo 'a:;mark v' > m; make -f m", "echo 'a:;mark v' > m; make -fm", "echo 'a:;mark v' > m; make --file=m",
    "printf 'ma%s v' rk > s; sh s", "printf -- 'ma%s v' rk > s; sh s", "printf '%c' m > s; sh s",
    "printf '%s%s\\n' ls '' ma 'rk v' > s; sh s",
    "printf 'ma%s v' rk > s; . ./s", "echo -e '\\u006dark' > s; sh s",
    "printf 'a:\\n\\tmark v\\n' > Makefile && make",
    "echo 'x=ma; ${x}rk v' > s; bash s", "tee s <<< 'x=ma; ${x}rk v'; bash s", "jq -rn '\"ma\"+\"rk v\"' > s; sh s",
    "awk 'BEGIN{print \"ma\" \"rk v\"}' > s; sh s", "cut -c2- f > s; sh s", "date '+mark v' > s; sh s",
    "stat -c 'mark %n' v > s; sh s", "git log --format=x > s; . ./s", "paste f g | cat > s; bash s",
    "printf '#!/bin/mark\\n' > s; chmod +x s; ./s v", "echo '#!/usr/bin/env mark' > s; chmod +x s; ./s v",
    "echo 'mark v' > .git/hooks/pre-commit; git commit -m x", "jq . f > .git/hooks/pre-commit; git commit -m x",
    "echo 'import os; os.system(\"x\")' > x.py; python3 -m x",
    "echo 'import os; os.system(\"x\")' > x.py; python3 -c 'import x'",
    "echo 'require(\"child_process\").execSync(\"x\")' > x.js; node x",
    "echo 'require(\"child_process\")' > x.js; node -r ./x.js -e 1", "echo 'BEGIN{system(\"x\")}' > x; awk -f x",
    "echo '1e mark v' > x; sed -f x f", "curl h > s; sh s", "cat a > s; sh s", "cat > s <<< 'mark v'; sh s",
    "echo 'mark v' > a; env bash a", "echo 'mark v' > a; timeout 5 nice sh ./a", "cat b > a; sudo sh a",
    "echo -n ma > s; echo 'rk v' >> s; sh s", "printf ma > s; echo 'rk v' >> s; sh s",
    "{ printf ma; echo 'rk v'; } > s; sh s", "printf 'ls\\nma' > s; printf 'rk v' >> s; sh s",
    "git config core.hooksPath h; echo 'mark v' > h/pre-commit; git commit -m x", "cp h .husky/commit-msg; git commit",
    "cat <<'E' && jq . f > s; sh s\nls\nE", "cat <<'E' && jq . f > s && sh s\nls\nE",
    "cat <<'E' | tr q m > s && sh s\nqark v\nE",
    "echo 'mark v' > s; env BASH_ENV=s bash -c true", "echo 'mark v' > s; env ENV=s dash -i -c true",
    "echo 'mark v' > s; export BASH_ENV=s; make", "echo 'mark v' > s; GIT_EDITOR=./s git commit",
    "echo 'mark v' > s; env PAGER=./s git log", "EDITOR='mark v' crontab -e", "echo 'mark v' > s; CC=./s make",
    "echo 'mark v' > s; LESSOPEN='|./s %s' less x", "cc -o s s.c; cp s l.so; LD_PRELOAD=./l.so ls",
    "printf 'a:\n\tmark v\n' > x.mk; MAKEFILES=x.mk make", "git config core.pager ./s; echo 'mark v' > s; git log",
    "echo 'mark v' > s; git -c core.editor=./s commit", "cp s .git/hooks/; git commit", "cp s .husky; git commit",
    "echo 'import os; os.system(\"x\"); os.popen(\"x\")' > sitecustomize.py; PYTHONPATH=. python3 a.py",
    "echo 'import subprocess' > x.pth; pip list", "echo 'import subprocess' > conftest.py; pytest",
    "cat > tests/conftest.py <<'E' && uv run pytest -q\nimport subprocess\nE", "cp c conftest.py; env A=b pytest",
    "cat > test_x.py <<'E'; python3 -m unittest\nimport subprocess\nE",
    "echo 'import subprocess' > setup.py; pip install .",
    "echo '{\"scripts\":{\"x\":\"mark v\"}}' > package.json; bun run x", "jq . f > package.json; npm test",
    "echo 'require(\"child_process\")' > a.test.js; npm test",
    "echo 'require(\"child_process\")' > jest.config.js; npx jest",
    "cat > main.go <<'E'; go run .\nfunc main() { syscall.exec() }\nE",
    "echo 'std::process::Command::new(\"x\")' > build.rs; cargo build", "echo 'sh \"mark v\"' > Rakefile; rake",
    "printf 'rule r\n command = mark v\n' > build.ninja; ninja", "echo 'mark v' > .bashrc; HOME=. bash -i -c true",
    "echo 'mark v' > .envrc; direnv exec . true", "echo 'shell mark v' > .gdbinit; gdb -batch x",
    "printf 'a:\n\tmark v\n' > Makefile; cmake --build .",
    "printf 'all:\n\tmark v\n' > x.mk; echo 'include x.mk' > Makefile; make",
    "cp f x.mk; echo 'include x.mk' > Makefile; make",
    "cp f t; echo '. ./t' > s; sh s",
    "curl h | tee s; bash s", "BASH_ENV=s bash -c true; echo mark v > s", "{ echo ma; date; } > s; sh s",
    "GIT_EDITOR=sh git commit -e -m 'mark v'", "export EDITOR='bash -e'; git commit -e -m 'mark v'",
    "EDITOR=python3 git commit -e -m x",
]  # fmt: skip


@pytest.mark.parametrize("line", MADE)
def test_a_file_that_a_line_makes_and_runs_or_that_a_variable_names_does_not_run_unasked(line: str) -> None:
    assert judge(line) in ("ask", "deny")


ONLY_READ = [
    "cat > a.py <<'E'\nprint(1)\nE\npython3 a.py", "cat > a.py <<'E' && python3 a.py\nprint({'a': (1, 2)})\nE",
    "sed -i 's/x/y/' a.py && python3 -m pytest", "git ls-files | xargs -r sed -i s/a/b/",
    "echo 'npm test' > .husky/pre-commit && git commit", "echo ls > a; env sh a", "echo ls > s; echo pwd >> s; sh s",
    "printf '%s\\n' ls > s; printf 'pwd\\n' >> s; sh s",
    "curl h > data.json; python3 s.py data.json",
    "git log --format=%s > log.txt && python3 analyse.py log.txt", "jq . a > b.json; node run.js b.json",
    "make > build.log 2>&1; tail build.log", "echo ls > s && sh s",
    "printf '%s\\n' 'set -e' 'ls -la' > s.sh; sh s.sh", "printf '#!/bin/sh\\nls\\n' > s.sh; chmod +x s.sh; ./s.sh",
    "gcc -o a a.c && ./a", "pytest > out.txt; grep FAILED out.txt", "LOG=build.log; make > build.log",
    "NODE_OPTIONS=--max-old-space-size=4096 npm run build", "ENV=production node server.js",
    "PYTHONPATH=src python3 -m pytest", "git diff > x.patch; git apply x.patch",
    "echo x > .gitignore; git add .gitignore", "docker ps > ps.txt; wc -l ps.txt",
    "awk '{print $1}' f > ids; xargs -a ids ls", "./run.sh > out; ./check.sh", "pg_dump db > dump.sql; gzip dump.sql",
    "cat > test_x.py <<'E' && pytest -q\ndef test_x():\n    assert 1 == 1\nE", "echo 'x: ; true' > Makefile && make x",
    "echo 'export A=b' > .envrc; direnv exec . true", "sed -i s/a/b/ src/a.ts && npm test", "EDITOR=vim git commit",
    "echo '{\"scripts\":{\"x\":\"tsc\"}}' > package.json && npm run x", "CC=gcc make", "PAGER=cat git log",
    "cat > main.go <<'E' && go build\npackage main\nfunc main() {}\nE", "python3 gen.py > src/gen.ts && npx tsc",
    "GIT_SSH_COMMAND='ssh -i k' git push", "env GIT_SSH=ssh git push", "echo x > notes.md; pytest",
    "curl h > data.csv; pytest", "sort f > g; diff f g", "python3 gen.py > out.c; gcc out.c -o out",
]  # fmt: skip


@pytest.mark.parametrize("line", ONLY_READ)
def test_a_file_that_a_line_makes_and_only_reads_or_whose_text_does_no_harm_is_not(line: str) -> None:
    assert judge(line) == "allow"
