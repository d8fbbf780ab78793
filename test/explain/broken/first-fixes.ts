/** The first fix of each kind of fault, in the cluster of seed 1 that has this fault alone; in the order of the kinds. */
export const FIRST_FIXES: Readonly<Record<string, string>> = {
  'selector: misspelt zone':
    'select topology.kubernetes.io/zone us-east-1a instead of us-east1a in Deployment web (r6g.large on-demand and 1 more, +$0.1512/h)',
  'selector: misspelt capacity type':
    'select karpenter.sh/capacity-type on-demand instead of on_demand in Deployment web (c6a.xlarge on-demand, +$0.1530/h)',
  'selector: misspelt NodePool':
    'select karpenter.sh/nodepool general instead of generall in Deployment web (2 m6a.large on-demand and 1 more, +$0.2988/h)',
  'selector: misspelt label':
    'select topology.kubernetes.io/zone instead of topology.kubernetes.io/zones in Deployment web (m6a.large on-demand, +$0.0864/h)',
  'selector: misspelt value of a label of users':
    'select tier frontend instead of front-end in Deployment web (2 m6a.large spot and 1 more, +$0.1027/h)',
  'selector: label that no NodePool has':
    'add label example.com/owner=payments to the nodes of NodePool general (3 c6a.large on-demand, +$0.2295/h)',
  'selector: type that the NodePool excludes':
    'ask for no node.kubernetes.io/instance-type in Deployment web (c7g.4xlarge on-demand, +$0.5800/h)',
  'selector: other architecture':
    'allow kubernetes.io/arch In [arm64, amd64] instead of In [arm64] in NodePool general, and allow karpenter.k8s.aws/instance-family In [m6g, c7g, m6a] instead of In [m6g, c7g] in NodePool general (2 m6a.large on-demand, +$0.1728/h)',
  'affinity: family that the NodePool excludes':
    'request at most 1.9 cpu instead of 2 in Deployment web (m5d.large on-demand, +$0.1130/h)',
  'affinity: more CPUs than the NodePool allows':
    'allow karpenter.k8s.aws/instance-cpu < 49 instead of < 17 in NodePool general (m5.12xlarge spot, +$0.7847/h)',
  'affinity: not in the zones of the NodePool':
    'allow topology.kubernetes.io/zone In [us-east-1a, us-east-1b, us-east-1c] instead of In [us-east-1a, us-east-1b] in NodePool general (c5.2xlarge spot, +$0.1016/h)',
  'affinity: size that the NodePool excludes':
    'allow karpenter.k8s.aws/instance-size NotIn [24xlarge] instead of NotIn [metal, 24xlarge] in NodePool general (m5.metal on-demand, +$4.6080/h)',
  'toleration: another value': 'let Deployment web tolerate dedicated=web:NoSchedule (m5.xlarge spot, +$0.0635/h)',
  'request: too much CPU':
    'allow karpenter.k8s.aws/instance-cpu < 97 instead of < 17 in NodePool general (c5.24xlarge spot, +$1.5039/h)',
  'request: too much memory':
    'let Deployment web tolerate workload=batch:NoSchedule (2 r5.24xlarge spot, +$3.9413/h, adds amd64 nodes)',
  'request: too much ephemeral storage':
    'set blockDeviceMappings of EC2NodeClass default to 40Gi (4 c6a.xlarge on-demand, +$0.6120/h)',
  'request: GPU':
    'allow karpenter.k8s.aws/instance-category NotIn [t, p, inf] instead of NotIn [t, p, g, inf] in NodePool general (2 g4dn.12xlarge on-demand, +$7.8240/h)',
  'request: misspelt resource':
    'request nvidia.com/gpu instead of nvidia.com/gpus in Deployment web (g5.xlarge spot, +$0.2814/h)',
  'spread: more domains than zones':
    'allow topology.kubernetes.io/zone In [us-east-1a, us-east-1b, us-east-1c] instead of In [us-east-1a, us-east-1b] in NodePool general (m6a.large spot, +$0.0275/h)',
  'spread: misspelt topology key':
    'select topology.kubernetes.io/zone instead of topology.kubernetes.io/zon in Deployment web (r6g.medium spot, +$0.0294/h)',
  'spread: a full zone waits for another':
    'allow topology.kubernetes.io/zone In [us-east-1a, us-east-1b, us-east-1c] instead of In [us-east-1a, us-east-1b] in NodePool general (2 m5.xlarge spot and 1 more, +$0.2337/h)',
  'anti-affinity: more pods than zones':
    'prefer instead of require the anti-affinity over topology.kubernetes.io/zone in Deployment web (c6a.xlarge on-demand, +$0.1530/h)',
  'affinity: misspelt label of pods':
    'select app cache instead of cahe in Deployment web (m6g.xlarge spot, +$0.0576/h)',
  'volume: zone that the NodePool excludes':
    'allow topology.kubernetes.io/zone In [us-east-1a, us-east-1b, us-east-1c] instead of In [us-east-1a, us-east-1b] in NodePool general (c6a.xlarge spot, +$0.0667/h)',
  'volume: missing claim': 'create PersistentVolumeClaim default/data (c6a.xlarge on-demand, +$0.1530/h)',
  'volume: misspelt StorageClass':
    'name StorageClass gp3 instead of gp33 in PersistentVolumeClaim data (m6a.large spot, +$0.0275/h)',
  'gate: a controller holds it back':
    'default/web-7c9-0 waits since 2026-06-01T11:59:00Z (1m): its scheduling gates (example.com/quota) hold it back',
  'opt-out: no NodePool is wanted':
    'default/web-7c9-0 waits since 2026-06-01T11:59:00Z (1m): it selects only nodes that no NodePool launches',
  'limit: CPU': 'raise limits.cpu of NodePool general to 16 (c6a.4xlarge spot, +$0.1526/h)',
  'limit: memory': 'raise limits.memory of NodePool general to 29.6Gi (c6a.4xlarge spot, +$0.1526/h)',
  'limit: nodes': 'raise limits.nodes of NodePool general to 1 (c6a.xlarge on-demand, +$0.1530/h)',
  'limit: CPU and memory': 'raise limits of NodePool general to cpu=6, memory=22.2Gi (3 m6a.large spot, +$0.0860/h)',
  'taint: not tolerated': 'let Deployment web tolerate example.com/reserved:NoExecute (m6a.2xlarge spot, +$0.0894/h)',
  'taint: of a device':
    'add a NodePool without taints, such as a copy of general: every NodePool has some (m6a.large on-demand, +$0.0864/h)',
  'requirement: other architecture than the pods':
    'allow kubernetes.io/arch In [arm64, amd64] instead of In [arm64] in NodePool general (r5.xlarge on-demand, +$0.2520/h)',
  'requirement: operating system without types':
    'drop the requirement kubernetes.io/os In [windows] of NodePool general (c7g.xlarge on-demand and 1 more, +$0.2175/h)',
  'requirement: other zone than the pods':
    'allow topology.kubernetes.io/zone In [us-east-1b, us-east-1c] instead of In [us-east-1b] in NodePool general (c6a.2xlarge on-demand, +$0.3060/h)',
  'requirement: misspelt family':
    'allow karpenter.k8s.aws/instance-family In [c6a] instead of In [c6-a] in NodePool general (c6a.2xlarge spot, +$0.1239/h)',
  'requirement: misspelt size':
    'allow karpenter.k8s.aws/instance-size In [xlarge] instead of In [x-large] in NodePool general (m7i.xlarge spot, +$0.0710/h)',
  'requirement: misspelt capacity type':
    'allow karpenter.sh/capacity-type In [on-demand] instead of In [ondemand] in NodePool general (c7g.xlarge on-demand, +$0.1450/h)',
  'requirement: types too small':
    'allow karpenter.k8s.aws/instance-cpu < 17 instead of < 2 in NodePool general (c6a.4xlarge spot, +$0.1526/h)',
  'requirement: memory in bytes':
    'drop the requirement karpenter.k8s.aws/instance-memory Gt [8589934592] of NodePool general (m6a.large spot, +$0.0275/h)',
  'requirement: empty range of CPUs':
    'drop the requirement karpenter.k8s.aws/instance-cpu Gt [16] of NodePool general (m6a.xlarge on-demand, +$0.1728/h)',
  'requirement: capacity type that the pods exclude':
    'allow karpenter.sh/capacity-type In [spot, on-demand] instead of In [spot] in NodePool general (m6a.xlarge on-demand, +$0.1728/h)',
  'requirement: GPU that the NodePool excludes':
    'allow karpenter.k8s.aws/instance-gpu-name In [t4, a10g] instead of In [t4] in NodePool general (2 g5.2xlarge spot, +$0.6594/h)',
  'requirement: minValues too high':
    'ask for at least 10 values of karpenter.k8s.aws/instance-family instead of 50 in NodePool general (4 c6a.xlarge on-demand, +$0.6120/h)',
  'label: missing from the NodePool':
    'add label team=shop to the nodes of NodePool general (c6a.4xlarge spot, +$0.1545/h)',
  'hours: the NodePool is off':
    'wait: NodePool general may launch nodes again at 2026-06-01T17:55:00Z (r6g.xlarge spot, +$0.0969/h)',
  'class: no subnets':
    'correct spec.subnetSelectorTerms of EC2NodeClass default, so that it selects a subnet (m7i.xlarge spot, +$0.0710/h)',
  'class: no security groups':
    'correct spec.securityGroupSelectorTerms of EC2NodeClass default, so that it selects a security group (m5.xlarge spot, +$0.0635/h)',
  'class: no images':
    'correct spec.amiSelectorTerms of EC2NodeClass default, so that it selects an image (m6a.large spot, +$0.0275/h)',
  'class: does not exist': 'create EC2NodeClass default (m6a.4xlarge spot, +$0.2185/h)',
  'class: no subnet in the zone of the pods':
    'correct spec.subnetSelectorTerms of EC2NodeClass default, so that it selects a subnet in us-east-1b (r5.large spot, +$0.0479/h)',
  'class: subnets without addresses':
    'correct spec.subnetSelectorTerms of EC2NodeClass default, so that it selects a subnet with free addresses in us-east-1b (m5.xlarge spot, +$0.0635/h)',
  'class: maxPods too low':
    'set kubelet.maxPods of EC2NodeClass default to 8 (2 m6a.large spot and 1 more, +$0.1304/h)',
  'daemons: take too much':
    'allow karpenter.k8s.aws/instance-cpu < 33 instead of < 17 in NodePool general (m6a.8xlarge spot, +$0.8309/h)',
  'capacity: none in the zone of the pods':
    'wait: EC2 is asked again at 2026-06-01T12:05:00Z (c6a.2xlarge on-demand, +$0.3060/h)',
  'capacity: none of a type':
    'allow node.kubernetes.io/instance-type In [m5.xlarge, m6g.xlarge, c6a.2xlarge, c6a.xlarge] instead of In [m5.xlarge, m6g.xlarge] in NodePool general (c6a.2xlarge on-demand and 1 more, +$0.4590/h)',
};
