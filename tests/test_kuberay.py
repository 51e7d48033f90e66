"""The manifests for Kubernetes, validated without a cluster.

Kubernetes' own schemas come with a package. That of RayCluster does not: its fields are written down here from the
documentation of KubeRay, only those that the manifests use, and its pod templates are checked as Kubernetes' pods.
"""

import json
import re
import shlex
from pathlib import Path

import click
import jsonschema
import kubernetes_validate
import pytest
import yaml

from arena.cli import main

FOLDER = Path(__file__).parents[1] / "docker/kuberay"
MANIFESTS = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(FOLDER.glob("*.yaml"))}
KUBERNETES = "1.34"
GROUP = {
    "rayStartParams": {"type": "object", "additionalProperties": {"type": "string"}},
    "template": {"type": "object"},
}
WORKERS = {
    "groupName": {"type": "string", "minLength": 1},
    "replicas": {"type": "integer", "minimum": 0},
    "minReplicas": {"type": "integer", "minimum": 0},
    "maxReplicas": {"type": "integer", "minimum": 1},
}


def fields(properties, *required):
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


RAY_CLUSTER = fields(
    {
        "apiVersion": {"const": "ray.io/v1"},
        "kind": {"const": "RayCluster"},
        "metadata": fields({"name": {"type": "string", "pattern": "^[a-z]([-a-z0-9]*[a-z0-9])?$"}}, "name"),
        "spec": fields(
            {
                "rayVersion": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"},
                "headGroupSpec": fields(GROUP, "template"),
                "workerGroupSpecs": {"type": "array", "items": fields(GROUP | WORKERS, "groupName", "template")},
            },
            "headGroupSpec",
        ),
    },
    "apiVersion",
    "kind",
    "metadata",
    "spec",
)


def groups():
    spec = MANIFESTS["cluster"]["spec"]
    return [spec["headGroupSpec"], *spec["workerGroupSpecs"]]


def pod(template):
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "x", **template.get("metadata", {})},
        "spec": template["spec"],
    }


@pytest.mark.parametrize("name", sorted(set(MANIFESTS) - {"cluster"}))
def test_plain_manifests_are_valid(name):
    kubernetes_validate.validate(MANIFESTS[name], KUBERNETES, strict=True)


def test_the_cluster_is_valid():
    jsonschema.validate(MANIFESTS["cluster"], RAY_CLUSTER)
    for group in groups():
        kubernetes_validate.validate(pod(group["template"]), KUBERNETES, strict=True)


def test_a_misspelt_field_is_found():
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({**MANIFESTS["cluster"], "spec": {"headGroup": {}}}, RAY_CLUSTER)
    broken = pod({"spec": {**groups()[0]["template"]["spec"], "contaners": []}})
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(broken, KUBERNETES, strict=True)


def test_nodes_offer_the_sandbox_resource_that_their_cores_can_bear():
    head, *workers = groups()
    assert head["rayStartParams"]["num-cpus"] == "0"
    for group in workers:
        (text,) = shlex.split(group["rayStartParams"]["resources"])  # as the shell in the pod reads it
        (container,) = group["template"]["spec"]["containers"]
        limits = container["resources"]["limits"]
        assert json.loads(text) == {"sandbox": int(limits["cpu"]) - 1}
        assert limits == container["resources"]["requests"]
        assert group["minReplicas"] <= group["replicas"] <= group["maxReplicas"]
    assert len({c["image"] for g in groups() for c in g["template"]["spec"]["containers"]}) == 1


def test_the_driver_gives_a_command_that_there_is_and_finds_cluster_and_database():
    (container,) = MANIFESTS["tournament"]["spec"]["template"]["spec"]["containers"]
    command = main.get_command(click.Context(main), container["args"][0])
    given = command.make_context("tournament", list(container["args"][1:])).params
    assert given["place"] == f"ray://{MANIFESTS['cluster']['metadata']['name']}-head-svc:10001"
    assert given["metrics"] == ("0.0.0.0", container["ports"][0]["containerPort"])
    reference = container["env"][0]["valueFrom"]["secretKeyRef"]
    assert reference["name"] == MANIFESTS["database"]["metadata"]["name"]
    assert reference["key"] in MANIFESTS["database"]["stringData"]
    assert container["env"][0]["name"] == "ARENA_DB"


def test_the_image_has_all_that_the_pods_need():
    extras = re.search(r"\[([\w,]+)\]", (FOLDER / "Dockerfile").read_text())[1].split(",")
    assert {"ray", "postgres", "metrics"} <= set(extras)
