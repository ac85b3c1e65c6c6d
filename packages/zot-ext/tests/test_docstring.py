from zot_ext.schema import read_docstring


def test_nothing_says_nothing() -> None:
    assert read_docstring(None) == ("", {})


def test_the_description_ends_where_the_first_section_begins() -> None:
    text = """Find a book.

        By title, in every branch:
          the margin stays.

        Args:
            title (str): as printed
                on the cover
            limit: at most

        Returns:
            what: it found
        """
    description, parameters = read_docstring(text)

    assert description == "Find a book.\n\nBy title, in every branch:\n  the margin stays."
    assert parameters == {"title": "as printed on the cover", "limit": "at most"}


def test_fields_are_read_as_well() -> None:
    text = """Find a book.

    :param str title: as printed
        on the cover
    :param limit: at most
    :returns: a book
    """
    assert read_docstring(text) == ("Find a book.", {"title": "as printed on the cover", "limit": "at most"})
