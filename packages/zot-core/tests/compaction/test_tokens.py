"""Estimates beside the counts of two tokenizers, made with gpt-tokenizer 4.0.0 (npm)."""

import base64
import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zot_core.compaction.tokens import text_tokens

HASHES = "".join(hashlib.sha512(str(number).encode()).hexdigest() for number in range(8))
BYTES = b"".join(hashlib.sha512(str(number).encode()).digest() for number in range(20))
EMOJI = "😀🎉🚀❤👍🔥✨😂🙏💡📦🧪🐛🏳🌍"
DUMP = "\n".join(HASHES[start : start + 32] for start in range(0, 1024, 32))

SAMPLES = {
    "Chinese": "我们在这个项目中使用了一个新的方法来处理数据，并且需要检查"
    "每一个步骤是否正确。请阅读下面的文件，然后告诉我哪里有问题。",
    "Japanese": "このプロジェクトでは、新しい方法でデータを処理していま"
    "す。ファイルを読んで、どこに問題があるか教えてください。",
    "Korean": "이 프로젝트에서는 새로운 방법으로 데이터를 처리하고 있"
    "습니다. 파일을 읽고 어디에 문제가 있는지 알려주세요.",
    "Thai": "ในโครงการนี้เราใช้วิธีใหม่ในการประมวลผลข้อมูล โปรดอ่านไฟล์และบอกฉันว่ามีปัญหาตรงไหน",
    "emoji": EMOJI * 4,
    "families and flags": "👩‍💻👨‍👩‍👧‍👦🏳️‍🌈🇩🇪🇯🇵👍🏽" * 4,
    "hexadecimal": HASHES,
    "capital hexadecimal": HASHES.upper(),
    "lines of hexadecimal": DUMP,
    "base64": base64.b64encode(BYTES).decode(),
}
COUNTED = {
    "Chinese": (51, 35),
    "Japanese": (49, 34),
    "Korean": (45, 23),
    "Thai": (79, 35),
    "emoji": (160, 96),
    "families and flags": (208, 132),
    "hexadecimal": (573, 576),
    "capital hexadecimal": (581, 578),
    "lines of hexadecimal": (613, 614),
    "base64": (1230, 1165),
}
"""Tokens of each sample with cl100k and with o200k."""


@pytest.mark.parametrize("name", SAMPLES)
def test_the_estimate_is_not_below_one_tokenizer_and_not_far_above_the_other(name: str) -> None:
    cl100k, o200k = COUNTED[name]
    assert cl100k <= text_tokens(SAMPLES[name]) <= 2.5 * o200k


def test_english_has_about_four_characters_a_token() -> None:
    text = "In this project we use a new method to process the data. Please read the file and tell me what is wrong. "
    assert 0.25 <= text_tokens(text * 9) / len(text * 9) <= 0.3


@given(st.text())
def test_no_text_counts_less_than_a_quarter_or_more_than_four_tokens_a_character(text: str) -> None:
    assert len(text) / 4 <= text_tokens(text) <= 4 * len(text)


@given(st.text(), st.text())
def test_more_text_never_counts_much_less(first: str, second: str) -> None:
    assert text_tokens(first + second) >= text_tokens(first) - 2
