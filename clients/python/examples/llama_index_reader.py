"""Pages of a hayrake job as documents of LlamaIndex."""
from typing import Any, Iterable

from hayrake import Hayrake
from llama_index.core.readers.base import BaseReader
from llama_index.core.schema import Document


class HayrakeReader(BaseReader):
    def lazy_load_data(self, job: str, client: Hayrake, **_: Any) -> Iterable[Document]:
        for page in client.pages(job):
            meta = page["meta"]
            metadata = {**meta["meta"], "source": meta["url"]}
            yield Document(id_=f"{job}/{meta['page']}", text=page["text"], metadata=metadata)
