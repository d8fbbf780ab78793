import { Stack, Token } from 'aws-cdk-lib';
import { Alarm, type Metric, type MetricOptions } from 'aws-cdk-lib/aws-cloudwatch';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { Grant, IGrantable } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Bucket } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { Autoscaler } from './autoscaler.ts';
import { ownMetric } from './constructs/monitoring/own-metrics.ts';
import type { MortiseProps } from './mortise-props.ts';
import { optionsOf } from './props-to-options.ts';

/**
 * The node autoscaler of one EKS cluster, for a CDK app of one's own:
 *
 *     new Mortise(this, 'Autoscaler', { cluster });
 *
 * @throws OptionsError - during synthesis, one sentence per wrong property
 */
export class Mortise extends Construct {
  private readonly autoscaler: Autoscaler;
  private readonly clusterName: string;
  private readonly encryptionKey: IKey | undefined;

  constructor(scope: Construct, id: string, props: MortiseProps) {
    super(scope, id);
    const { account, region } = Stack.of(this);
    const isPlaceKnown = !Token.isUnresolved(account) && !Token.isUnresolved(region);
    const options = optionsOf(props, isPlaceKnown ? { account, region } : undefined);
    this.clusterName = options.cluster;
    this.encryptionKey = props.encryptionKey;
    this.autoscaler = new Autoscaler(this, 'Default', options);
    // The set-up needs the API server of a cluster that the same app creates.
    if (typeof props.cluster !== 'string') this.node.addDependency(props.cluster);
  }

  /** The table with the launched nodes. */
  get table(): TableV2 {
    return this.autoscaler.table;
  }

  /** The bucket with the decisions and the snapshots that they were made from. */
  get snapshotBucket(): Bucket {
    return this.autoscaler.snapshotBucket;
  }

  /** The alarms, for further actions. */
  get alarms(): readonly Alarm[] {
    return this.node.findAll().filter((child): child is Alarm => child instanceof Alarm);
  }

  /** Allows to read the decisions, as `mortise explain` and `mortise replay` do. */
  grantReadDecisions(grantee: IGrantable): Grant {
    this.encryptionKey?.grantDecrypt(grantee);
    return this.snapshotBucket.grantRead(grantee).combine(this.table.grantReadData(grantee));
  }

  /**
   * A metric of the namespace `Mortise` for this cluster, see docs/reference/metrics.md. Functions
   * publish all of them with `monitoring: 'all'` only.
   *
   * @param name - such as `karpenter_cluster_state_node_count`
   */
  metric(name: string, options: MetricOptions = {}): Metric {
    return ownMetric(this.clusterName, name).with(options);
  }

  /** Seconds for which the oldest pending pod has waited. */
  metricOldestPendingPod(options?: MetricOptions): Metric {
    return this.metric('mortise_pods_pending_oldest_seconds', options);
  }

  /** The number of nodes in the cluster. */
  metricNodes(options?: MetricOptions): Metric {
    return this.metric('karpenter_cluster_state_node_count', options);
  }
}
