// A gate on stopcheck's wire: JSON-RPC 2.0, one message a line, over standard input and output.
//
// One idea: a gate is an object with one method for each operation, named as in the protocol but in camel case
// (`commitEffect`). It is called with the request, as it came over the wire, and an environment that belongs to that
// call; what it returns is the reply, with its name under `type`. Operations that it lacks answer `Unsupported`.
//
//     serve({ contract, reopens: true, open: (storage) => new Gate(storage) });

import { createInterface } from "node:readline";

const PROTOCOL = 1;
const METHOD_NOT_FOUND = -32601;
const INTERNAL_ERROR = -32603;
const RUN_OVER = -32001;
const UNKNOWN_VERSION = -32002;

// Standard output is the wire: whatever else is written goes to the gate's log.
console.log = console.info = console.debug = console.error;

class WireError extends Error {
  constructor(code, message) {
    super(message);
    this.code = code;
  }
}

/** What a call is given. All of it is the kit's, and all of it is the same in each replay. */
class Environment {
  #call;
  #ask;
  #now;
  #over = new AbortController();

  constructor(call, now, ask) {
    this.#call = call;
    this.#now = now;
    this.#ask = ask;
  }

  /** Aborted when the run ends while this call stands: it rejects then, and so does whatever was asked here. */
  get signal() {
    return this.#over.signal;
  }

  /** A branch point: others may move here. `touches` names what the next step reads or writes. */
  async branch(label, touches = []) {
    this.#now = await this.#asked("env/branch", { label, touches, where: caller() });
  }

  /** This call waits for what another holds. It goes on when another has moved: then look again. */
  async blocked(label) {
    this.#now = await this.#asked("env/blocked", { label, where: caller() });
  }

  /** The virtual clock, in nanoseconds. It moves only where this call stands. */
  get now() {
    return this.#now;
  }

  /** A new id, where you would take a UUID. */
  freshId(prefix) {
    return this.#asked("env/fresh_id", { prefix });
  }

  /** Whether the receiver that the receipt names really signed it. */
  verify(receipt) {
    return this.#asked("env/verify", { receipt });
  }

  async #asked(method, params) {
    try {
      return await this.#ask(method, { call: this.#call, ...params });
    } catch (error) {
      if (error.code === RUN_OVER) this.#over.abort(error);
      throw error;
    }
  }
}

/** Serve a gate until standard input ends. */
export function serve({ contract, open, reopens = false }) {
  const waiting = new Map();
  let asked = 0;
  let gate = null;

  function write(message) {
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  }

  function ask(method, params) {
    const id = ++asked;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      write({ id, method, params });
    });
  }

  const lifecycle = {
    "kit/initialize": ({ protocol }) => {
      if (protocol !== PROTOCOL) throw new WireError(UNKNOWN_VERSION, `this gate speaks version ${PROTOCOL}`);
      return { protocol: PROTOCOL, contract, reopens };
    },
    "kit/probe": async ({ text, park }, environment) => {
      if (park) await environment.branch("probe");
      return text;
    },
    "kit/open": async ({ storage }, environment) => {
      gate = await open(storage, environment);
      return null;
    },
    "kit/close": async () => {
      await gate?.close?.();
      gate = null;
      return null;
    },
    "kit/fingerprint": () => gate.fingerprint(),
  };

  async function answer({ id, method, params }) {
    try {
      const environment = new Environment(id, params.now_ns ?? 0, ask);
      const operation = lifecycle[method] ?? gate?.[camelCase(method)]?.bind(gate);
      if (operation === undefined) throw new WireError(METHOD_NOT_FOUND, method);
      write({ id, result: (await operation(params, environment)) ?? null });
    } catch (error) {
      const code = Number.isInteger(error.code) ? error.code : INTERNAL_ERROR;
      write({ id, error: { code, message: String(error.message ?? error), data: stack(error) } });
    }
  }

  function settle({ id, result, error }) {
    const { resolve, reject } = waiting.get(id);
    waiting.delete(id);
    if (error === undefined) resolve(result);
    else reject(new WireError(error.code, error.message));
  }

  createInterface({ input: process.stdin, crlfDelay: Infinity }).on("line", (line) => {
    const message = JSON.parse(line);
    if (message.method === undefined) settle(message);
    else answer(message);
  });
}

function camelCase(name) {
  return name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
}

/** Where in the gate's own code the kit is asked for something: `gate.js:120 commitEffect`. */
function caller() {
  const frames = new Error().stack.split("\n").slice(1);
  return place(frames.find((frame) => !frame.includes(import.meta.url))) ?? "";
}

function stack(error) {
  return place(error.stack?.split("\n").find((line) => line.trimStart().startsWith("at "))) ?? null;
}

function place(frame) {
  const found = frame?.match(/^\s*at (?:async )?(?:(\S+) (?:\[as \S+\] )?\()?.*?([^/\\(]+):(\d+):\d+\)?$/);
  if (!found) return undefined;
  const [, name, file, line] = found;
  return name ? `${file}:${line} ${name}` : `${file}:${line}`;
}
