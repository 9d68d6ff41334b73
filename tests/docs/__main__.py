"""`python -m tests.docs`."""

from tests.docs import PAGES, ROOT

for path, page in PAGES.items():
    (ROOT / path).write_text(page(ROOT), encoding="utf-8")
    print(path)
