"""The client of hayrake, a self-hosted web crawl service. `hayrake.aio` has the same for `asyncio`."""
from ._core import VERSION as __version__
from ._core import HayrakeError
from .client import Hayrake

__all__ = ["Hayrake", "HayrakeError", "__version__"]
