import { connect } from 'node:http2';
import { createServer } from 'node:net';
import { type OwnPortName, ownPorts } from '../../config/settings/own-ports.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

export interface PortsToCheck {
  readonly host: string;
  readonly primary: number;
  readonly additional: readonly number[];
  /** Those of single interfaces that are opened here. */
  readonly own: ReadonlyMap<OwnPortName, PortToCheck>;
}

export interface PortToCheck {
  readonly host: string;
  readonly port: number;
}

/** Whether each port is free, and if not, whether a running Kagami answers there. */
export const checkPorts = async (ports: PortsToCheck): Promise<Finding[]> => {
  const { host, primary, additional, own } = ports;
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
  for (const [name, opened] of own) findings.push(await checkOwnPort(name, opened));
  return findings;
};

const checkOwnPort = async (name: OwnPortName, { host, port }: PortToCheck): Promise<Finding> => {
  const { title, setting } = ownPorts[name];
  const subject = `port ${port} (${title})`;
  const fault = port === 0 ? undefined : await tryPort(host, port);
  if (fault === undefined) return ok(subject, 'free');
  if (fault !== 'EADDRINUSE') {
    const advice = `Choose another port or address (${setting}, kagami.server.host).`;
    return fail(subject, `cannot be opened on ${host}: ${fault}`, advice);
  }
  if (await probes[name](port)) return ok(subject, `a ${title} server is running and answers here`);
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

/** Whether a server of that interface listens on the port. */
const probes: Readonly<Record<OwnPortName, (port: number) => Promise<boolean>>> = {
  grpc: speaksHttp2,
  rosetta: listsNetworks,
  node: speaksHttp2,
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
