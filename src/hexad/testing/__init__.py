"""The test kit under its public name: `hexad.testing.store_suite` and its neighbours.

The modules are a package of their own, `hexad_testing`, which the engine never loads.
"""

import hexad_testing

__path__ = hexad_testing.__path__
