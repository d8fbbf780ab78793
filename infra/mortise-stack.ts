import { CfnOutput, Duration, Stack } from 'aws-cdk-lib';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { Alarms } from './constructs/alarms.ts';
import { CatalogRefresh } from './constructs/catalog-refresh.ts';
import { ClusterAccess, type ClusterGroup } from './constructs/cluster-access.ts';
import { ClusterDashboard } from './constructs/cluster-dashboard.ts';
import { ClusterFacts } from './constructs/cluster-facts.ts';
import { ClusterSetup } from './constructs/cluster-setup.ts';
import { EventIntake } from './constructs/event-intake.ts';
import type { HandlerFunction, HandlerFunctionProps } from './constructs/handler-function.ts';
import { InterruptionRules } from './constructs/interruption-rules.ts';
import { NodeRole } from './constructs/node-role.ts';
import { PollSource } from './constructs/poll-source.ts';
import { QueueWorker } from './constructs/queue-worker.ts';
import { SavedQueries } from './constructs/saved-queries.ts';
import { Schedules } from './constructs/schedules.ts';
import { SnapshotBucket } from './constructs/snapshot-bucket.ts';
import { StateTable } from './constructs/state-table.ts';
import { WorkQueues } from './constructs/work-queues.ts';
import {
  describeEc2,
  endInstances,
  type Fleet,
  findTemplates,
  launchInstances,
  manageProfiles,
  nameInstances,
  passNodeRoles,
  readMarket,
  removeTemplates,
  resolveClasses,
} from './ec2-permissions.ts';
import type { ApiServerFacts, MortiseOptions } from './options.ts';
import { allow } from './rights.ts';
import { TIMEOUTS } from './timeouts.ts';

/** All of Mortise for one cluster. Below it reads who may do what; the constructs grant nothing. */
export class MortiseStack extends Stack {
  private readonly options: MortiseOptions;
  private readonly encryption: { readonly key?: IKey };
  private readonly table: StateTable;
  private readonly snapshots: SnapshotBucket;
  private readonly queues: WorkQueues;
  private readonly facts: ApiServerFacts;

  constructor(scope: Construct, id: string, options: MortiseOptions) {
    super(scope, id, {
      description: `Mortise, the node autoscaler of the EKS cluster ${options.cluster}`,
      ...(options.target && { env: options.target }),
    });
    this.options = options;
    this.encryption = options.kmsKeyArn
      ? { key: Key.fromKeyArn(this, 'Key', options.kmsKeyArn) }
      : {};
    this.table = new StateTable(this, 'State', this.encryption);
    this.snapshots = new SnapshotBucket(this, 'Snapshots', {
      retentionDays: options.snapshotRetentionDays,
      ...this.encryption,
    });
    this.queues = new WorkQueues(this, 'Queues', this.encryption);
    this.facts =
      options.apiServer ??
      new ClusterFacts(this, 'ClusterFacts', { cluster: options.cluster, stack: this });
    const workers = this.addWorkers();
    const intake = this.addIntake();
    const poll = this.addPoll();
    const refresh = this.addCatalogRefresh();

    const access = this.grantClusterAccess(workers, poll);
    const setup = this.addClusterSetup(intake, access);
    this.letSweepGuard(workers.sweep, { intake, poll, setup });

    this.grantKey([intake.fn, setup.fn, poll.fn, refresh.fn, ...Object.values(workers)]);
    this.grantState(workers);
    this.grantMessages(workers, intake.fn);
    this.grantInstances(workers);
    this.grantPoll(poll);
    this.grantRefresh(refresh);
    this.grantSetup(setup, intake);

    this.addEventSources();
    this.watch(
      {
        eventIntake: intake.fn,
        clusterSetup: setup.fn,
        poll: poll.fn,
        catalogRefresh: refresh.fn,
        ...workers,
      },
      poll,
    );
    this.addOutputs();
    new CfnOutput(this, 'HookAddress', { value: `${intake.url.url}h/${options.cluster}/` });
    new CfnOutput(this, 'HookTokenSecret', { value: intake.token.secretArn });
    new CfnOutput(this, 'EventSource', { value: setup.eventSource });
    new CfnOutput(this, 'EventSourceWhy', { value: setup.why });
  }

  /** Where `mortise` finds what it shares with the functions. */
  private addOutputs(): void {
    new CfnOutput(this, 'StateTable', { value: this.table.tableName });
    new CfnOutput(this, 'SnapshotBucket', { value: this.snapshots.bucketName });
    new CfnOutput(this, 'InterruptionQueue', { value: this.queues.interruption.queueUrl });
  }

  private addWorkers(): Workers {
    const { queues } = this;
    const environment = this.workerEnvironment();
    const work = (name: keyof Workers, queue: Queue, props: WorkerShape): HandlerFunction =>
      new QueueWorker(this, capitalized(name), {
        ...this.common(),
        ...(this.options.network && { network: this.options.network }),
        timeout: TIMEOUTS[name],
        environment,
        queue,
        ...props,
      }).fn;

    return {
      provisioning: work('provisioning', queues.plan, {
        entry: 'provisioning',
        memoryMib: 1769, // one whole processor
        wakesItself: true,
      }),
      nodeLifecycle: work('nodeLifecycle', queues.claim, {
        entry: 'node-lifecycle',
        memoryMib: 512,
        maxConcurrency: 10,
        wakesItself: true,
      }),
      disruption: work('disruption', queues.disrupt, {
        entry: 'disruption',
        memoryMib: 1769,
        wakesItself: true,
      }),
      interruption: work('interruption', queues.interruption, {
        entry: 'interruption',
        memoryMib: 512,
        maxConcurrency: 10,
      }),
      sweep: work('sweep', queues.sweep, {
        entry: 'sweep',
        memoryMib: 1024,
        maxConcurrency: 5,
        wakesItself: true,
      }),
      nodeClass: work('nodeClass', queues.class, {
        entry: 'node-class',
        memoryMib: 512,
        maxConcurrency: 2, // the fewest that Lambda allows; two do no more than one
      }),
    };
  }

  private addIntake(): EventIntake {
    const { intakeConcurrency } = this.options;
    return new EventIntake(this, 'EventIntake', {
      ...this.common(),
      entry: 'event-intake',
      timeout: TIMEOUTS.eventIntake,
      memoryMib: 256,
      environment: {
        CLUSTER_NAME: this.options.cluster,
        ...this.queueAddresses(),
        ...this.options.timing,
      },
      ...(intakeConcurrency !== undefined && { reservedConcurrency: intakeConcurrency }),
    });
  }

  private addPoll(): PollSource {
    const { network } = this.options;
    return new PollSource(this, 'Poll', {
      ...this.common(),
      ...(network && { network }),
      safety: this.queues.safety,
      timeout: TIMEOUTS.poll,
      memoryMib: 256,
      environment: this.workerEnvironment(),
    });
  }

  private addClusterSetup(intake: EventIntake, after: readonly ClusterAccess[]): ClusterSetup {
    const { cluster, eventSource, hook, apiServer, network } = this.options;
    return new ClusterSetup(this, 'ClusterSetup', {
      ...this.common(),
      ...(network && { network }),
      ...(hook && { hook }),
      cluster,
      intake,
      eventSource,
      knowsNetwork: apiServer === undefined,
      after,
      entry: 'cluster-setup',
      timeout: TIMEOUTS.clusterSetup,
      memoryMib: 512,
      environment: { ...this.apiServerFacts(), STATE_TABLE: this.table.tableName },
    });
  }

  private common(): Pick<HandlerFunctionProps, 'logRetentionDays' | 'key'> {
    return { logRetentionDays: this.options.logRetentionDays, ...this.encryption };
  }

  private workerEnvironment(): Readonly<Record<string, string>> {
    return {
      ...this.apiServerFacts(),
      STATE_TABLE: this.table.tableName,
      SNAPSHOT_BUCKET: this.snapshots.bucketName,
      ...(this.options.serviceCidr && { SERVICE_CIDR: this.options.serviceCidr }),
      ...this.queueAddresses(),
      ...this.options.timing,
    };
  }

  private apiServerFacts(): Readonly<Record<string, string>> {
    const { cluster } = this.options;
    return {
      CLUSTER_NAME: cluster,
      CLUSTER_ENDPOINT: this.facts.endpoint,
      CLUSTER_CA: this.facts.certificateAuthority,
    };
  }

  private queueAddresses(): Readonly<Record<string, string>> {
    const { plan, disrupt, claim, sweep, interruption } = this.queues;
    return {
      PLAN_QUEUE: plan.queueUrl,
      DISRUPT_QUEUE: disrupt.queueUrl,
      CLAIM_QUEUE: claim.queueUrl,
      SWEEP_QUEUE: sweep.queueUrl,
      INTERRUPTION_QUEUE: interruption.queueUrl,
      CLASS_QUEUE: this.queues.class.queueUrl,
    };
  }

  private grantKey(functions: readonly HandlerFunction[]): void {
    const { kmsKeyArn } = this.options;
    if (kmsKeyArn === undefined) return;
    allow(functions, {
      statements: [
        new PolicyStatement({
          actions: ['kms:Decrypt', 'kms:GenerateDataKey', 'kms:DescribeKey'],
          resources: [kmsKeyArn],
        }),
      ],
      wildcardReason: 'No wildcards: one key.',
    });
  }

  private grantState(workers: Workers): void {
    for (const fn of Object.values(workers)) {
      const access = ['GetItem', 'Query', 'PutItem'];
      this.table.grant(fn, ...access.map((action) => `dynamodb:${action}`));
    }
    allow(Object.values(workers), {
      statements: [
        new PolicyStatement({
          actions: ['s3:PutObject'],
          resources: [this.snapshots.arnForObjects('*')],
        }),
      ],
      wildcardReason: 'Each decision is an object of its own.',
    });
    allow(Object.values(workers), {
      statements: [
        new PolicyStatement({
          actions: ['s3:GetObject'],
          resources: [this.snapshots.arnForObjects(CATALOGUE)],
        }),
      ],
      wildcardReason: 'Prices and zones, not decisions.',
    });
    // What is taken away: commands that are done, classes that are gone, launches that are long over,
    // a pool's back-off when a node of it has joined.
    const { disruption, nodeClass, nodeLifecycle, sweep } = workers;
    for (const fn of [disruption, nodeClass, nodeLifecycle, sweep]) {
      this.table.grant(fn, 'dynamodb:DeleteItem');
    }
  }

  /** In no VPC: the price list cannot be reached from inside one. */
  private addCatalogRefresh(): CatalogRefresh {
    return new CatalogRefresh(this, 'CatalogRefresh', {
      ...this.common(),
      entry: 'catalog-refresh',
      timeout: TIMEOUTS.catalogRefresh,
      memoryMib: 512,
      environment: { SNAPSHOT_BUCKET: this.snapshots.bucketName },
    });
  }

  private grantRefresh({ fn }: CatalogRefresh): void {
    allow([fn], readMarket({ stack: this, cluster: this.options.cluster }), {
      statements: [
        new PolicyStatement({
          actions: ['s3:GetObject', 's3:PutObject'],
          resources: [this.snapshots.arnForObjects(CATALOGUE)],
        }),
      ],
      wildcardReason: 'Prices and zones, not decisions.',
    });
  }

  private grantMessages(workers: Workers, intake: HandlerFunction): void {
    const { plan, disrupt, claim, sweep, interruption } = this.queues;
    const maySend = (fn: HandlerFunction, ...queues: readonly Queue[]): void => {
      for (const queue of queues) queue.grant(fn, 'sqs:SendMessage');
    };

    // What the API server tells is one of these. It has no other right in this account.
    maySend(intake, plan, disrupt, claim, sweep, this.queues.class);
    maySend(workers.provisioning, plan, claim, sweep);
    maySend(workers.nodeLifecycle, plan, disrupt, claim, sweep);
    maySend(workers.disruption, plan, disrupt, claim, sweep);
    maySend(workers.interruption, plan, claim, interruption);
    maySend(workers.sweep, plan, disrupt, claim);
    maySend(workers.nodeClass, plan, this.queues.class);
  }

  private grantInstances(workers: Workers): void {
    const fleet: Fleet = { stack: this, cluster: this.options.cluster };
    const { provisioning, nodeLifecycle, disruption, sweep, nodeClass } = workers;
    const nodeRoles = this.nodeRoleArns();

    allow([provisioning, nodeLifecycle, disruption, sweep], describeEc2(fleet));
    // Lifecycle launches what a planner recorded and did not live to launch; disruption replaces.
    allow(
      [provisioning, nodeLifecycle, disruption],
      launchInstances(fleet),
      findTemplates(fleet),
      passNodeRoles(nodeRoles),
    );
    // The sweep ends instances that no record knows.
    allow([nodeLifecycle, sweep], endInstances(fleet));
    allow([sweep], nameInstances(fleet));
    allow(
      [nodeClass],
      findTemplates(fleet),
      resolveClasses(fleet),
      manageProfiles(fleet),
      removeTemplates(fleet),
      passNodeRoles(nodeRoles),
    );
  }

  /** Those of the options, or one of our own. */
  private nodeRoleArns(): readonly string[] {
    const { cluster, nodeRoles } = this.options;
    if (nodeRoles.length === 0) {
      const role = new NodeRole(this, 'NodeRole', { cluster });
      new CfnOutput(this, 'NodeRoleName', {
        value: role.roleName,
        description: 'What EC2NodeClasses give as spec.role',
      });
      return [role.roleArn];
    }
    return nodeRoles.map((resourceName) =>
      this.formatArn({ service: 'iam', region: '', resource: 'role', resourceName }),
    );
  }

  private grantClusterAccess(workers: Workers, poll: PollSource): readonly ClusterAccess[] {
    const { cluster } = this.options;
    const letIn = (name: string, fn: HandlerFunction, group: ClusterGroup): ClusterAccess =>
      new ClusterAccess(this, `${capitalized(name)}Access`, { cluster, fn, group });

    return [
      ...Object.entries(workers).map(([name, fn]) => letIn(name, fn, 'mortise:controller')),
      letIn('poll', poll.fn, 'mortise:reader'),
    ];
  }

  /** It looks and tells: that pods wait, and itself that it has to look again. */
  private grantPoll({ fn, queue }: PollSource): void {
    this.table.grant(fn, 'dynamodb:GetItem', 'dynamodb:PutItem');
    for (const receiver of [this.queues.plan, queue]) receiver.grant(fn, 'sqs:SendMessage');
  }

  /** The sweep sees what hooks cost the cluster, has them taken away, and starts the poll instead. */
  private letSweepGuard(sweep: HandlerFunction, parts: GuardedParts): void {
    const { intake, poll, setup } = parts;
    sweep.addEnvironment('POLL_QUEUE', poll.queue.queueUrl);
    sweep.addEnvironment('INTAKE_FUNCTION', intake.fn.functionName);
    sweep.addEnvironment('SETUP_FUNCTION', setup.fn.functionName);
    poll.queue.grant(sweep, 'sqs:SendMessage');
    allow([sweep], {
      statements: [
        new PolicyStatement({
          actions: ['lambda:InvokeFunction'],
          resources: [setup.fn.functionArn],
        }),
        new PolicyStatement({ actions: ['cloudwatch:GetMetricStatistics'], resources: ['*'] }),
      ],
      wildcardReason: 'CloudWatch shows metrics of the account or none: no resource can be named.',
    });
  }

  /** It is an administrator in the cluster; in the account it reaches three things. */
  private grantSetup({ fn }: ClusterSetup, intake: EventIntake): void {
    const may = (resource: string, ...actions: readonly string[]): PolicyStatement =>
      new PolicyStatement({ actions: [...actions], resources: [resource] });

    this.table.grant(fn, 'dynamodb:GetItem', 'dynamodb:PutItem');
    allow([fn], {
      statements: [
        may(
          intake.token.secretArn,
          'secretsmanager:GetSecretValue',
          'secretsmanager:PutSecretValue',
          'secretsmanager:UpdateSecretVersionStage',
        ),
        may(
          intake.fn.functionArn,
          'lambda:GetFunctionConfiguration',
          'lambda:UpdateFunctionConfiguration',
        ),
        may(
          this.formatArn({
            service: 'eks',
            resource: 'cluster',
            resourceName: this.options.cluster,
          }),
          'eks:DescribeCluster',
        ),
      ],
      wildcardReason: 'No wildcards: one secret, one function, one cluster.',
    });
  }

  private addEventSources(): void {
    const { sweep, disrupt, interruption, deadLetters } = this.queues;
    new Schedules(this, 'Schedules', { sweep, disrupt, nodeClass: this.queues.class });
    new InterruptionRules(this, 'InterruptionRules', {
      queue: interruption,
      deadLetters: deadLetters.interruption,
    });
  }

  private watch(functions: WatchedFunctions, poll: PollSource): void {
    const { cluster, alarmTopicArn } = this.options;
    const { plan, disrupt, claim, sweep, interruption } = this.queues;
    const deadLetters = { ...this.queues.deadLetters, poll: poll.deadLetters };
    const topic = alarmTopicArn && Topic.fromTopicArn(this, 'AlarmTopic', alarmTopicArn);

    new Alarms(this, 'Alarms', {
      cluster,
      functions,
      deadLetters,
      mostAge: [
        { name: 'plan', queue: plan, age: Duration.minutes(1) },
        { name: 'interruption', queue: interruption, age: Duration.minutes(1) },
      ],
      sweep: functions.sweep,
      attention: {
        sweep: functions.sweep.logGroup,
        provisioning: functions.provisioning.logGroup,
      },
      actions: topic ? [new SnsAction(topic)] : [],
    });
    new SavedQueries(this, 'SavedQueries', {
      cluster,
      logGroups: Object.values(functions).map(({ logGroup }) => logGroup),
    });
    new ClusterDashboard(this, 'Dashboard', {
      cluster,
      functions: Object.values(functions),
      eventLogs: [functions.provisioning, functions.nodeLifecycle].map(({ logGroup }) => logGroup),
      queues: [plan, disrupt, claim, sweep, interruption, this.queues.class, poll.queue],
      deadLetters: Object.values(deadLetters),
    });
  }
}

/** The functions that work queues, by the names that alarms show. */
type Workers = {
  readonly provisioning: HandlerFunction;
  readonly nodeLifecycle: HandlerFunction;
  readonly disruption: HandlerFunction;
  readonly interruption: HandlerFunction;
  readonly sweep: HandlerFunction;
  readonly nodeClass: HandlerFunction;
};

type WatchedFunctions = Workers &
  Readonly<Record<'eventIntake' | 'clusterSetup' | 'poll' | 'catalogRefresh', HandlerFunction>>;

interface GuardedParts {
  readonly intake: EventIntake;
  readonly poll: PollSource;
  readonly setup: ClusterSetup;
}

interface WorkerShape {
  readonly entry: string;
  readonly memoryMib: number;
  readonly maxConcurrency?: number;
  readonly wakesItself?: boolean;
}

const capitalized = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Objects that say what EC2 sells. */
const CATALOGUE = 'catalogue/*';
