import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { type Finding, fail, ok, warn } from './finding.ts';

export interface PortsToCheck {
  readonly host: string;
  readonly primary: number;
  readonly additional: readonly number[];
  /** Undefined: no gRPC is served here. */
  readonly grpc: number | undefined;
  /** Undefined: Rosetta is not served here. */
  readonly rosetta: number | undefined;
  /** Undefined or left out: the simulated network takes no transactions. */
  readonly submit?: number | undefined;
}

/** Whether each port is free, and if not, whether a running Kagami answers there. */
export const checkPorts = async (ports: PortsToCheck): Promise<Finding[]> => {
  const { host, primary, additional, grpc, rosetta, submit } = ports;
  const findings: Finding[] = [];
  for (const port of new Set([primary, ...additional])) {
    const subject = `port ${port}`;
    const fault = port === 0 ? undefined : await tryPort(host, port);
    if (fault === undefined) findings.push(ok(subject, 'free'));
    else if (fault !== 'EADDRINUSE') {
      const advice =
        'Choose another port or address (hiero.mirror.rest.port, kagami.server.host), or run with more rights.';
      findings.push(fail(subject, `cannot be opened on ${host}: ${fault}`, advice));
    } else if (await isKagami(port)) findings.push(ok(subject, 'Kagami is running and answers here'));
    else if (port === primary) {
      findings.push(fail(subject, 'taken by another program', 'Stop that program, or start Kagami with --port.'));
    } else {
      const advice =
        'Kagami runs without it; some SDKs turn to this port on localhost (kagami.server.additionalPorts).';
      findings.push(warn(subject, 'taken by another program', advice));
    }
  }
  if (grpc !== undefined) findings.push(await checkInterfacePort(host, grpc, grpcPort));
  if (rosetta !== undefined) findings.push(await checkInterfacePort(host, rosetta, rosettaPort));
  if (submit !== undefined) findings.push(await checkInterfacePort('127.0.0.1', submit, submitPort));
  return findings;
};

/** A port of one interface. */
interface InterfacePort {
  readonly name: string;
  readonly setting: string;
  /** Whether a server of that interface listens there. */
  readonly answers: (port: number) => Promise<boolean>;
}

const checkInterfacePort = async (
  host: string,
  port: number,
  { name, setting, answers }: InterfacePort,
): Promise<Finding> => {
  const subject = `port ${port} (${name})`;
  const fault = port === 0 ? undefined : await tryPort(host, port);
  if (fault === undefined) return ok(subject, 'free');
  if (fault !== 'EADDRINUSE') {
    const advice = `Choose another port or address (${setting}, kagami.server.host).`;
    return fail(subject, `cannot be opened on ${host}: ${fault}`, advice);
  }
  if (await answers(port)) return ok(subject, `a ${name} server is running and answers here`);
  const advice = `Stop that program, or name another port (${setting}).`;
  return warn(subject, 'taken by another program', advice);
};

/** Whether a server takes the preface of HTTP/2 without TLS, on which gRPC runs. */
const speaksHttp2 = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const session = connect(`http://127.0.0.1:${port}`);
    const finish = (speaks: boolean): void => {
      session.destroy();
      resolve(speaks);
    };
    session.once('remoteSettings', () => finish(true));
    session.once('error', () => finish(false));
    session.once('close', () => finish(false));
    session.setTimeout(2_000, () => finish(false));
  });

const listsNetworks = async (port: number): Promise<boolean> => {
  try {
    const signal = AbortSignal.timeout(2_000);
    const answer = await fetch(`http://127.0.0.1:${port}/network/list`, { method: 'POST', body: '{}', signal });
    return answer.ok && (await answer.text()).includes('"network_identifiers"');
  } catch {
    return false;
  }
};

const grpcPort: InterfacePort = { name: 'gRPC', setting: 'hiero.mirror.grpc.port', answers: speaksHttp2 };
const submitPort: InterfacePort = {
  name: 'transactions',
  setting: 'kagami.simulator.submit.port',
  answers: speaksHttp2,
};
const rosettaPort: InterfacePort = {
  name: 'Rosetta',
  setting: 'hiero.mirror.rosetta.port',
  answers: listsNetworks,
};

/** The code of the error that keeps us from listening, undefined when nothing does. */
const tryPort = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });

const isKagami = async (port: number): Promise<boolean> => {
  const signal = AbortSignal.timeout(2_000);
  try {
    const health = await fetch(`http://127.0.0.1:${port}/health/liveness`, { signal });
    if (!health.ok) return false;
    const document = await fetch(`http://127.0.0.1:${port}/api/v1/docs/openapi.yml`, { signal });
    return document.ok && /title:\s*['"]?Kagami/.test(await document.text());
  } catch {
    return false;
  }
};
