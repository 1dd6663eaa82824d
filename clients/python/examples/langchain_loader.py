"""Pages of a hayrake job as documents of LangChain."""
from typing import Iterator

from hayrake import Hayrake
from langchain_core.document_loaders import BaseLoader
from langchain_core.documents import Document


class HayrakeLoader(BaseLoader):
    def __init__(self, job: str, client: Hayrake) -> None:
        self.job, self.client = job, client

    def lazy_load(self) -> Iterator[Document]:
        for page in self.client.pages(self.job):
            meta = page["meta"]
            yield Document(page_content=page["text"], metadata={**meta["meta"], "source": meta["url"]})
