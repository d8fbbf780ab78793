/** A NodePool with its class; tests replace lines of it. */
export const NODES = `apiVersion: karpenter.k8s.aws/v1
kind: EC2NodeClass
metadata:
  name: default
spec:
  amiSelectorTerms: [{alias: al2023@latest}]
  role: eks-node-shop
  subnetSelectorTerms: [{tags: {team: shop}}]
  securityGroupSelectorTerms: [{tags: {team: shop}}]
---
apiVersion: karpenter.sh/v1
kind: NodePool
metadata:
  name: general
spec:
  limits:
    memory: 64Gi
  template:
    spec:
      nodeClassRef: {group: karpenter.k8s.aws, kind: EC2NodeClass, name: default}
      requirements:
        - key: karpenter.sh/capacity-type
          operator: In
          values: [on-demand]
        - key: node.kubernetes.io/instance-type
          operator: In
          values: [m7g.large, m7g.2xlarge]
`;

/** A pod without an owner. */
export const aPod = (name: string, requests: string, more = ''): string => `---
apiVersion: v1
kind: Pod
metadata:
  name: ${name}
  namespace: shop
spec:
  containers:
    - name: main
      image: registry.example.com/main:1
      resources:
        requests: ${requests}
${more}`;
