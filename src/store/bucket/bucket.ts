import type * as S3 from '@aws-sdk/client-s3';
import { errorCode, StoreFailure, UNREACHED } from '../store-failure.js';
import type { BucketPlace } from './place.js';

/** A bucket of contents, each under a name that no other content has. */
export interface Bucket {
  /** Contents of more bytes belong here. */
  aboveBytes: number;
  /** For people. */
  place: string;
  /** Writes a content, unless its name is there; returns when it is kept. Throws a `StoreFailure`. */
  write(name: string, content: Buffer): Promise<void>;
  /** Writes a content in the place of another. */
  replace(name: string, content: Buffer): Promise<void>;
  /** Null where there is none. Throws a `StoreFailure`. */
  read(name: string): Promise<Buffer | null>;
}

/** Tries of one request, by the client's own backoff. */
const TRIES = 4;
const CONNECT_MS = 5_000;
const ANSWER_MS = 60_000;

/** Opens a bucket; nothing is asked of it, and its client is not loaded, before it is used. */
export function openBucket(place: BucketPlace): Bucket {
  const { bucket, prefix, endpoint } = place;
  const told = `${endpoint ?? 'S3'}/${bucket}`;
  let opened: Promise<Opened> | undefined;
  const use = async <T>(act: (opened: Opened) => Promise<T>): Promise<T> => {
    try {
      return await act(await (opened ??= open(place)));
    } catch (error) {
      throw bucketFailure(error, told);
    }
  };
  const objectOf = (name: string): { Bucket: string; Key: string } => ({ Bucket: bucket, Key: `${prefix}${name}` });
  return {
    aboveBytes: place.aboveBytes,
    place: told,
    write: (name, content) =>
      use(async ({ client, sdk }) => {
        const command = new sdk.PutObjectCommand({ ...objectOf(name), Body: content, IfNoneMatch: '*' });
        await client.send(command).catch((error: unknown) => {
          if (statusOf(error) !== 412) throw error; // it is there
        });
      }),
    replace: (name, content) =>
      use(async ({ client, sdk }) => {
        await client.send(new sdk.PutObjectCommand({ ...objectOf(name), Body: content }));
      }),
    read: (name) =>
      use(async ({ client, sdk }) => {
        try {
          const { Body } = await client.send(new sdk.GetObjectCommand(objectOf(name)));
          return Body === undefined ? null : Buffer.from(await Body.transformToByteArray());
        } catch (error) {
          if (statusOf(error) === 404 && nameOf(error) === 'NoSuchKey') return null;
          throw error;
        }
      }),
  };
}

interface Opened {
  sdk: typeof S3;
  client: S3.S3Client;
}

async function open({ region, endpoint, credentials, profile }: BucketPlace): Promise<Opened> {
  // The versions that warn of Node 20 run on it, and are pinned.
  process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  const sdk = await import('@aws-sdk/client-s3');
  const client = new sdk.S3Client({
    region,
    maxAttempts: TRIES,
    // Whoever reads a value proves that it is the one.
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS },
    ...(endpoint === null ? {} : { endpoint, forcePathStyle: true }),
    ...(credentials === null ? {} : { credentials }),
    ...(profile === null ? {} : { profile }),
  });
  return { sdk, client };
}

/** What a bucket or the way to it said: whoever needs it waits until somebody has mended it. */
function bucketFailure(error: unknown, place: string): StoreFailure {
  if (error instanceof StoreFailure) return error;
  const status = statusOf(error);
  const found = nameOf(error) ?? errorCode(error) ?? 'no answer';
  const cause = { cause: Object.assign(new Error(found), { code: UNREACHED }) };
  return new StoreFailure(
    'internal',
    status === null
      ? `The store's bucket at \`${place}\` is not reached (${found}). What needs it waits: start it, or mend ` +
          '`store.blobs` of perdure.yml or its credentials.'
      : `The store's bucket at \`${place}\` refuses us (${found}, ${String(status)}): expected a bucket that is ` +
          'there, and credentials that may read and write objects in it.',
    cause,
  );
}

function statusOf(error: unknown): number | null {
  const { $metadata } = (typeof error === 'object' && error !== null ? error : {}) as {
    $metadata?: { httpStatusCode?: number };
  }; // as the client's errors are
  return $metadata?.httpStatusCode ?? null;
}

function nameOf(error: unknown): string | null {
  return error instanceof Error && error.name !== 'Error' ? error.name : null;
}
