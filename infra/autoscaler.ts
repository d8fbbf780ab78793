import { CfnOutput } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { checkEnvironments } from './check-environments.ts';
import { CatalogRefresh } from './constructs/catalog-refresh.ts';
import { ClusterAccess } from './constructs/cluster-access.ts';
import { ClusterSetup } from './constructs/cluster-setup.ts';
import { DeployCheck } from './constructs/deploy-check.ts';
import { EventIntake } from './constructs/event-intake.ts';
import { InterruptionRules } from './constructs/interruption-rules.ts';
import { PollSource } from './constructs/poll-source.ts';
import { restrictRoles } from './constructs/restrict-roles.ts';
import { Schedules } from './constructs/schedules.ts';
import type { SnapshotBucket } from './constructs/snapshot-bucket.ts';
import type { StateTable } from './constructs/state-table.ts';
import { WebhookControl } from './constructs/webhook-control.ts';
import { ZonalShiftRule } from './constructs/zonal-shift-rule.ts';
import { queueAddresses, refreshEnvironment, setupEnvironment, workerEnvironment } from './environment.ts';
import { common, commonInside, type Foundation, layFoundation } from './foundation.ts';
import {
  grantClusterAccess,
  grantEnvironmentKey,
  grantEvents,
  grantHints,
  grantInstances,
  grantKey,
  grantKeyToSchedules,
  grantLearned,
  grantPoll,
  grantRefresh,
  grantState,
  letFollowShifts,
} from './grants.ts';
import { hasFunctionUrls, mayUseHooks } from './options/event-sources.ts';
import type { MortiseOptions } from './options/options.ts';
import { grantDeployCheck, grantSetup, grantWebhookControl, letSweepGuard } from './setup-grants.ts';
import { outputDescription } from './stack-name.ts';
import { TIMEOUTS } from './timeouts.ts';
import { watch } from './watch.ts';
import { addWorkers } from './workers.ts';

/** All resources for one cluster. Constructs create them; `grants.ts` and `setup-grants.ts` grant rights. */
export class Autoscaler extends Construct {
  readonly table: StateTable;
  readonly snapshotBucket: SnapshotBucket;
  private readonly foundation: Foundation;

  constructor(scope: Construct, id: string, options: MortiseOptions) {
    super(scope, id);
    const foundation = layFoundation(this, options);
    this.foundation = foundation;
    this.table = foundation.table;
    this.snapshotBucket = foundation.snapshots;
    const workers = addWorkers(foundation);
    const intake = mayUseHooks(options) ? this.addIntake() : undefined;
    if (intake) this.checkBefore(intake);
    const poll = this.addPoll();
    const refresh = this.addCatalogRefresh();
    const access = grantClusterAccess(foundation, workers, poll);
    const setup = this.addClusterSetup(intake, access);
    const control = this.addWebhookControl(intake, setup);
    // New code starts with the rights that it needs: the set-up grants them first.
    const inCluster = [poll.fn, control.fn, ...Object.values(workers)];
    for (const fn of inCluster) fn.node.addDependency(setup.resource);
    // A bucket with prices could not be deleted if the set-up of a first deployment fails.
    refresh.node.addDependency(setup.resource);

    grantKey(foundation, Object.values(workers), 'sqs', 'dynamodb', 's3');
    grantKey(foundation, [poll.fn], 'sqs', 'dynamodb');
    grantKey(foundation, [refresh.fn], 's3');
    grantKey(foundation, [setup.fn], 'dynamodb', 'secretsmanager', 'sqs');
    grantKey(foundation, [control.fn], 'dynamodb', 'secretsmanager');
    grantEnvironmentKey(foundation, [setup.fn, control.fn]);
    if (intake) grantKey(foundation, [intake.fn], 'sqs');
    grantState(foundation, workers);
    grantLearned(foundation, workers);
    grantEvents(foundation, workers);
    const others = { ...(intake && { eventIntake: intake.fn }), poll: poll.fn };
    grantHints(foundation, { ...workers, ...others, clusterSetup: setup.fn });
    grantInstances(foundation, workers);
    grantPoll(foundation, poll);
    grantRefresh(foundation, refresh);
    grantSetup(foundation, setup, intake);
    grantWebhookControl(foundation, control.fn, { intake, setup });
    letSweepGuard(workers.sweep, { intake, poll, control });
    if (options.followsShifts) letFollowShifts(foundation, [workers.sweep, setup.fn]);

    this.addEventSources(setup);
    const setupFunctions = { clusterSetup: setup.fn, webhookControl: control.fn };
    watch(foundation, { ...others, catalogRefresh: refresh.fn, ...setupFunctions, ...workers }, { poll, intake });
    this.addOutputs(intake, setup);
    restrictRoles(this, options);
    checkEnvironments(this);
  }

  private addIntake(): EventIntake {
    const { intakeConcurrency, hookVpcEndpoint, hook, target } = this.foundation.options;
    return new EventIntake(this, 'EventIntake', {
      ...common(this.foundation),
      entry: 'event-intake',
      timeout: TIMEOUTS.eventIntake,
      memoryMib: 256,
      environment: {
        CLUSTER_NAME: this.foundation.options.cluster,
        ...queueAddresses(this.foundation.queues),
      },
      ...(intakeConcurrency !== 'none' && { reservedConcurrency: intakeConcurrency }),
      ...(hookVpcEndpoint !== undefined && { vpcEndpointId: hookVpcEndpoint }),
      ...(hook && { ownAddress: hook.address }),
      hasUrl: target === undefined || hasFunctionUrls(target.region),
    });
  }

  /** Without a reservation there is nothing to check. */
  private checkBefore({ fn: intake }: EventIntake): void {
    const { intakeConcurrency } = this.foundation.options;
    if (intakeConcurrency === 'none' || intakeConcurrency === 0) return;
    const check = new DeployCheck(this, 'DeployCheck', {
      ...common(this.foundation),
      entry: 'deploy-check',
      timeout: TIMEOUTS.deployCheck,
      memoryMib: 256,
      environment: {},
      concurrency: intakeConcurrency,
    });
    grantKey(this.foundation, [check.fn]);
    grantDeployCheck(check.fn);
    intake.node.addDependency(check.resource);
  }

  private addPoll(): PollSource {
    return new PollSource(this, 'Poll', {
      ...commonInside(this.foundation),
      safety: this.foundation.queues.safety,
      timeout: TIMEOUTS.poll,
      memoryMib: 256,
      environment: workerEnvironment(this.foundation),
    });
  }

  /** Outside of the VPC: the price list API has no interface endpoint there. */
  private addCatalogRefresh(): CatalogRefresh {
    return new CatalogRefresh(this, 'CatalogRefresh', {
      ...common(this.foundation),
      entry: 'catalog-refresh',
      timeout: TIMEOUTS.catalogRefresh,
      memoryMib: 512,
      environment: refreshEnvironment(this.foundation),
    });
  }

  private addClusterSetup(intake: EventIntake | undefined, after: readonly ClusterAccess[]): ClusterSetup {
    const { options, nodeRole } = this.foundation;
    const { cluster, eventSource, eventSourceReason, hookVpcEndpoint, apiServer } = options;
    return new ClusterSetup(this, 'ClusterSetup', {
      ...commonInside(this.foundation),
      cluster,
      intake,
      eventSource,
      eventSourceReason,
      knowsNetwork: apiServer === undefined,
      isHookPrivate: hookVpcEndpoint !== undefined,
      after,
      entry: 'cluster-setup',
      timeout: TIMEOUTS.clusterSetup,
      memoryMib: 512,
      environment: {
        ...setupEnvironment(this.foundation, intake),
        SWEEP_QUEUE: this.foundation.queues.sweep.queueUrl,
        ...(nodeRole && { NODE_ROLE_ARN: nodeRole.roleArn }),
      },
    });
  }

  private addWebhookControl(intake: EventIntake | undefined, setup: ClusterSetup): WebhookControl {
    const control = new WebhookControl(this, 'WebhookControl', {
      ...commonInside(this.foundation),
      setup,
      entry: 'webhook-control',
      timeout: TIMEOUTS.webhookControl,
      memoryMib: 512,
      environment: setupEnvironment(this.foundation, intake),
    });
    const { cluster } = this.foundation.options;
    new ClusterAccess(this, 'WebhookControlAccess', {
      cluster,
      fn: control.fn,
      group: 'mortise:webhook-control',
    });
    return control;
  }

  private addEventSources(setup: ClusterSetup): void {
    const { sweep, disrupt, interruption, deadLetters } = this.foundation.queues;
    // The schedules start after the set-up and stop before its removal.
    const schedules = new Schedules(this, 'Schedules', {
      sweep,
      disrupt,
      nodeClass: this.foundation.queues.class,
    });
    schedules.node.addDependency(setup);
    grantKeyToSchedules(this.foundation, schedules);
    new InterruptionRules(this, 'InterruptionRules', {
      queue: interruption,
      deadLetters: deadLetters.interruption,
    });
    if (!this.foundation.options.followsShifts) return;
    new ZonalShiftRule(this, 'ZonalShiftRule', { queue: sweep, deadLetters: deadLetters.sweep });
  }

  /** Outputs for people, and for `mortise`, which finds the stack's resources through them. */
  private addOutputs(intake: EventIntake | undefined, setup: ClusterSetup): void {
    const { options, table, snapshots, queues } = this.foundation;
    const outputs = {
      ...(intake && {
        HookAddress: `${intake.address}h/${options.cluster}/`,
        HookTokenSecret: intake.token.secretArn,
      }),
      EventSource: setup.eventSource,
      EventSourceWhy: setup.why,
      StateTable: table.tableName,
      ...(options.learnedTable && { LearnedTable: options.learnedTable }),
      ...(options.learnedTableKey && { LearnedTableKey: options.learnedTableKey }),
      ...(options.kmsKeyArn && { KmsKey: options.kmsKeyArn }),
      SnapshotBucket: snapshots.bucketName,
      ...(options.redactNames && { RedactNames: 'true' }),
      InterruptionQueue: queues.interruption.queueUrl,
    };
    for (const [name, value] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value, description: outputDescription(name, options.cluster) });
    }
  }
}
