import { Duration } from 'aws-cdk-lib';

/** Timeouts of the functions; the queues' visibility timeouts derive from them. */
export const TIMEOUTS = {
  eventIntake: Duration.seconds(3),
  provisioning: Duration.seconds(120),
  nodeLifecycle: Duration.seconds(60),
  disruption: Duration.seconds(300),
  interruption: Duration.seconds(10),
  deployCheck: Duration.seconds(60),
  clusterSetup: Duration.seconds(300),
  webhookControl: Duration.seconds(300),
  poll: Duration.seconds(20),
  sweep: Duration.seconds(60),
  nodeClass: Duration.seconds(60),
  catalogRefresh: Duration.seconds(300),
} as const;
