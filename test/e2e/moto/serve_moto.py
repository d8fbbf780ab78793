"""The emulator's server, in which two things are as they are in EC2.

The tags of a resource are looked up: as it comes, it searches the tags of all resources for each of
them, and a thousand instances take minutes to describe. And a spot instance of an instant fleet can be
terminated: as it comes, it fails, for it looks for a fleet of another kind.
"""

import sys

from moto.ec2.models.core import TaggedEC2Resource
from moto.ec2.models.instances import Instance
from moto.ec2.utils import EC2_PREFIX_TO_RESOURCE, get_prefix
from moto.server import main


def get_tags(self):
    if not self.id:
        return []
    kind = EC2_PREFIX_TO_RESOURCE.get(get_prefix(self.id), "")
    return [
        {"resource_id": self.id, "key": key, "value": value, "resource_type": kind}
        for key, value in self.ec2_backend.tags.get(self.id, {}).items()
    ]


def terminate(self, *args, **kwargs):
    self._spot_fleet_id = self._fleet_id = None
    return as_it_comes(self, *args, **kwargs)


as_it_comes = Instance.terminate
Instance.terminate = terminate
TaggedEC2Resource.get_tags = get_tags

if __name__ == "__main__":
    sys.exit(main())
