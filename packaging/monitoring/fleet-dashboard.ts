import { type DashboardDefinition, SELECTED } from './dashboard.ts';

/** Series of nodes that belong to a NodePool. */
const MANAGED = `${SELECTED}, nodepool!=""`;

const nodesBy = (label: string) => ({
  expr: `count by (${label}) (karpenter_nodes_current_lifetime_seconds{${MANAGED}})`,
  legend: `{{${label}}}`,
});

const requestedShare = (resource: string) => ({
  expr:
    `sum by (nodepool) (karpenter_nodes_total_pod_requests{${MANAGED}, resource_type="${resource}"})` +
    ` / sum by (nodepool) (karpenter_nodes_allocatable{${MANAGED}, resource_type="${resource}"})`,
  legend: `{{nodepool}}: ${resource}`,
});

const lifetime = (quantile: number, legend: string) => ({
  expr: `histogram_quantile(${quantile}, sum by (le) (increase(karpenter_nodes_lifetime_duration_seconds_bucket{${SELECTED}}[1d])))`,
  legend,
});

export const FLEET_DASHBOARD: DashboardDefinition = {
  uid: 'mortise-fleet',
  title: 'Mortise / Fleet and cost',
  description: 'What the nodes are, what they cost, and how much of them pods request.',
  rows: [
    {
      title: 'Cost',
      panels: [
        {
          title: 'Dollars per hour, by NodePool',
          description: 'Instances at the price of their launch.',
          unit: 'currencyUSD',
          stacked: true,
          queries: [
            {
              expr: `sum by (nodepool) (karpenter_nodepools_cost_total{${SELECTED}})`,
              legend: '{{nodepool}}',
            },
          ],
        },
        {
          title: 'Requested share of all nodes',
          description: 'Requests of bound pods divided by what nodes offer.',
          unit: 'percent',
          queries: [
            {
              expr: `max by (resource_type) (karpenter_cluster_utilization_percent{${SELECTED}, resource_type=~"cpu|memory"})`,
              legend: '{{resource_type}}',
            },
          ],
        },
        {
          title: 'Requested share, by NodePool',
          description: 'A low share: mortise explain node says why a node stays.',
          unit: 'percentunit',
          queries: ['cpu', 'memory'].map(requestedShare),
        },
      ],
    },
    {
      title: 'Nodes',
      panels: [
        {
          title: 'Nodes by NodePool',
          description: 'Nodes that registered.',
          unit: 'short',
          stacked: true,
          queries: [nodesBy('nodepool')],
        },
        {
          title: 'Nodes by capacity type and zone',
          description: 'Spot, on-demand and reserved instances.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `count by (capacity_type, zone) (karpenter_nodes_current_lifetime_seconds{${MANAGED}})`,
              legend: '{{capacity_type}} {{zone}}',
            },
          ],
        },
        {
          title: 'Nodes by instance type',
          description: 'The ten most frequent.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `topk(10, count by (instance_type) (karpenter_nodes_current_lifetime_seconds{${MANAGED}}))`,
              legend: '{{instance_type}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Limits and pods',
      panels: [
        {
          title: 'Use of the limits of NodePools',
          description: 'At 100 % a NodePool launches nothing more.',
          unit: 'percentunit',
          queries: [
            {
              expr: `max by (nodepool, resource_type) (karpenter_nodepools_usage{${SELECTED}} / karpenter_nodepools_limit{${SELECTED}})`,
              legend: '{{nodepool}}: {{resource_type}}',
            },
          ],
        },
        {
          title: 'Pods by phase',
          description: 'All pods of the cluster.',
          unit: 'short',
          stacked: true,
          queries: [
            {
              expr: `sum by (phase) (karpenter_pods_state{${SELECTED}})`,
              legend: '{{phase}}',
            },
          ],
        },
      ],
    },
    {
      title: 'Churn',
      panels: [
        {
          title: 'Nodes that came and went in an hour',
          description: 'Churn costs starts and evictions.',
          unit: 'short',
          queries: [
            {
              expr: `sum(increase(karpenter_nodes_created_total{${SELECTED}}[1h]))`,
              legend: 'came',
            },
            {
              expr: `sum(increase(karpenter_nodes_terminated_total{${SELECTED}}[1h]))`,
              legend: 'went',
            },
          ],
        },
        {
          title: 'Evictions per pod and day',
          description: 'Pods that were moved in a day, against the pods that run. 0.5: each pod moves every other day.',
          unit: 'short',
          queries: [
            {
              expr:
                `sum(increase(karpenter_pods_drained_total{${SELECTED}}[1d]))` +
                ` / sum(avg_over_time(mortise_nodepools_pods{${SELECTED}}[1d]))`,
              legend: 'evictions',
            },
          ],
        },
        {
          title: 'Lifetime of removed nodes',
          description: 'In the last day. Many short lives are churn: consolidations, or spot.',
          unit: 's',
          queries: [lifetime(0.5, 'median'), lifetime(0.1, 'shortest tenth')],
        },
      ],
    },
  ],
};
