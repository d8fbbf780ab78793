"""The emulator's server, in which CloudFormation is as strict as in AWS.

Before the emulated CloudFormation creates, updates or deletes a resource, it asks the rules of the lab
(rules/rule.ts), as CloudFormation asks the service that has the resource: it sends a POST with the step
to LAB_RULES. A refusal fails the resource, and the emulator rolls back. The answer may change the
properties.

The emulator names the address of the rules (GATEWAY_PORT) in the URLs that it gives to functions, but
listens on LAB_PORT, so that their requests pass the rules.

It also has types that the emulator lacks: access entries of EKS, which it stores in its EKS, and types
without effect in the lab.
"""

import json
import os
import sys
import urllib.error
import urllib.request

from ministack import app
from ministack.services import eks
from ministack.services.cloudformation import stacks
from ministack.services.cloudformation.provisioners import _RESOURCE_HANDLERS as HANDLERS


def ask(action, kind, properties, physical_id=""):
    """Returns the properties that the rules allow."""
    step = {"action": action, "type": kind, "physicalId": physical_id, "properties": properties}
    request = urllib.request.Request(os.environ["LAB_RULES"], json.dumps(step, default=str).encode())
    try:
        with urllib.request.urlopen(request) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refusal:
        raise ValueError(refusal.read().decode()) from refusal


def strict(kind, handler):
    create, update, delete = (handler.get(step) for step in ("create", "update", "delete"))

    def strict_create(logical_id, properties, *rest):
        return create(logical_id, ask("Create", kind, properties), *rest)

    def strict_update(physical_id, before, properties, *rest):
        return update(physical_id, before, ask("Update", kind, properties, physical_id), *rest)

    def strict_delete(physical_id, properties, *rest):
        ask("Delete", kind, properties, physical_id)
        return delete(physical_id, properties, *rest)

    if create:
        handler["create"] = strict_create
    if update:
        handler["update"] = strict_update
    if delete:
        handler["delete"] = strict_delete


def checked(response):
    status, _, body = response
    if status >= 400:
        raise ValueError(body if isinstance(body, str) else body.decode())


def entry_of(properties):
    return properties["ClusterName"], properties["PrincipalArn"]


def create_entry(_logical_id, properties, _stack):
    cluster, principal = entry_of(properties)
    checked(
        eks._create_access_entry(
            cluster,
            {
                "principalArn": principal,
                "type": properties.get("Type", "STANDARD"),
                "kubernetesGroups": properties.get("KubernetesGroups", []),
            },
        )
    )
    for policy in properties.get("AccessPolicies", []):
        scope = policy["AccessScope"]
        body = {"policyArn": policy["PolicyArn"], "accessScope": {"type": scope["Type"]}}
        checked(eks._associate_access_policy(cluster, principal, body))
    # As in EKS, but for the id at the end, which EKS generates.
    _, _, _, _, account, path = principal.split(":", 5)
    kind, *_, name = path.split("/")
    entry = f"access-entry/{cluster}/{kind}/{account}/{name}/0"
    arn = f"arn:aws:eks:us-east-1:000000000000:{entry}"
    return f"{principal}|{cluster}", {"AccessEntryArn": arn}


def update_entry(_physical_id, before, properties, stack):
    delete_entry(None, before)
    return create_entry(None, properties, stack)


def delete_entry(_physical_id, properties):
    eks._delete_access_entry(*entry_of(properties))


def create_nothing(logical_id, _properties, stack):
    return f"{stack}-{logical_id}", {"Arn": f"arn:aws:lab:::{logical_id}"}


def keep(physical_id, *_):
    return physical_id, {}


NOTHING = {"create": create_nothing, "update": keep, "delete": keep}


def leave_out_alarms_over_several_metrics(handler):
    create, update = handler["create"], handler["update"]

    def create_known(logical_id, properties, stack):
        leave_out = "Metrics" in properties
        return (create_nothing if leave_out else create)(logical_id, properties, stack)

    def update_known(physical_id, before, properties, *rest):
        leave_out = "Metrics" in properties
        return (keep if leave_out else update)(physical_id, before, properties, *rest)

    handler.update(create=create_known, update=update_known)


if __name__ == "__main__":
    HANDLERS["AWS::EKS::AccessEntry"] = {
        "create": create_entry,
        "update": update_entry,
        "delete": delete_entry,
    }
    HANDLERS["AWS::Logs::QueryDefinition"] = dict(NOTHING)
    HANDLERS["AWS::CloudWatch::CompositeAlarm"] = dict(NOTHING)
    leave_out_alarms_over_several_metrics(HANDLERS["AWS::CloudWatch::Alarm"])
    if "LAB_RULES" in os.environ:
        for known, known_handler in HANDLERS.items():
            if not known.startswith("AWS::CloudFormation::"):
                strict(known, known_handler)
        # The rules ask the emulator in turn, so no step may block its event loop.
        stacks._runs_on_worker_thread = lambda _kind: True
    app._resolve_port = lambda: os.environ["LAB_PORT"]
    sys.exit(app.main())
