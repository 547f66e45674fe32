CREATE TABLE hosts (
  id TEXT PRIMARY KEY,
  revision INTEGER NOT NULL,
  record TEXT NOT NULL
) STRICT;
CREATE TABLE host_facts (
  host_id TEXT PRIMARY KEY,
  facts TEXT NOT NULL
) STRICT;
CREATE TABLE connects (
  id INTEGER PRIMARY KEY,
  host_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  ok INTEGER NOT NULL
) STRICT;
CREATE INDEX connects_by_host ON connects (host_id);
CREATE TABLE known_hosts (
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  key_type TEXT NOT NULL,
  key_base64 TEXT NOT NULL,
  origin TEXT NOT NULL,
  added_at INTEGER NOT NULL, last_used_at INTEGER, marker TEXT,
  PRIMARY KEY (name, port, key_base64)
) STRICT;
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  title TEXT NOT NULL,
  system_prompt TEXT NOT NULL,
  permission_mode TEXT NOT NULL,
  model_ref TEXT NOT NULL,
  pinned INTEGER NOT NULL DEFAULT 0,
  archived INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  parent TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  cuts INTEGER NOT NULL DEFAULT 0
, planning INTEGER NOT NULL DEFAULT 0, place REAL) STRICT;
CREATE INDEX conversations_by_update ON conversations (updated_at DESC, id);
CREATE TABLE runs (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  state TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  failure TEXT,
  lease_window TEXT,
  lease_machine TEXT,
  lease_pid INTEGER,
  lease_start TEXT,
  renewed_at INTEGER
) STRICT;
CREATE INDEX runs_by_conversation ON runs (conversation_id, started_at, id);
CREATE INDEX runs_open ON runs (conversation_id) WHERE ended_at IS NULL;
CREATE TABLE messages (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  ordinal INTEGER NOT NULL,
  id TEXT NOT NULL,
  run_id TEXT NOT NULL,
  role TEXT NOT NULL,
  payload TEXT NOT NULL,
  UNIQUE (conversation_id, ordinal),
  UNIQUE (conversation_id, id)
) STRICT;
CREATE TABLE calls (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  run_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  slot INTEGER,
  proposed TEXT,
  review TEXT,
  dispatched INTEGER NOT NULL DEFAULT 0,
  result TEXT,
  answered INTEGER NOT NULL DEFAULT 0, plan_outcome TEXT,
  UNIQUE (conversation_id, run_id, call_id)
) STRICT;
CREATE INDEX calls_by_conversation ON calls (conversation_id);
CREATE INDEX calls_by_slot ON calls (conversation_id, slot);
CREATE INDEX calls_recorded ON calls (conversation_id) WHERE result IS NOT NULL AND answered = 0;
CREATE TABLE inbox (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,
  id TEXT NOT NULL,
  payload TEXT NOT NULL,
  in_flight INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (conversation_id, position),
  UNIQUE (conversation_id, id)
) STRICT;
CREATE TABLE compactions (
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  boundary TEXT NOT NULL,
  summary TEXT NOT NULL,
  created_at INTEGER NOT NULL, facts TEXT,
  PRIMARY KEY (conversation_id, message_id)
) STRICT;
CREATE TABLE changes (
  area TEXT PRIMARY KEY,
  revision INTEGER NOT NULL
) STRICT;
CREATE TABLE message_texts (
  key INTEGER PRIMARY KEY REFERENCES messages (key) ON DELETE CASCADE,
  is_indexed INTEGER NOT NULL DEFAULT 0,
  conversation TEXT NOT NULL,
  text TEXT NOT NULL
) STRICT;
CREATE INDEX message_texts_waiting ON message_texts (key) WHERE is_indexed = 0;
CREATE TABLE text_backlog (
  below INTEGER NOT NULL
) STRICT;
CREATE TABLE request_parts (
  number INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  bytes INTEGER NOT NULL,
  item_id TEXT NOT NULL,
  hash TEXT NOT NULL,
  body TEXT NOT NULL,
  UNIQUE (conversation_id, hash)
) STRICT;
CREATE INDEX request_parts_size ON request_parts (conversation_id, number, bytes);
CREATE TABLE request_log (
  key INTEGER PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  last_part INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  at INTEGER NOT NULL,
  parts TEXT NOT NULL,
  entry TEXT NOT NULL
) STRICT;
CREATE INDEX request_log_by_conversation ON request_log (conversation_id, key);
CREATE INDEX request_log_size ON request_log (conversation_id, last_part, bytes);
CREATE TABLE forward_leases (
  forward_id TEXT PRIMARY KEY,
  lease_window TEXT NOT NULL,
  lease_machine TEXT NOT NULL,
  lease_pid INTEGER NOT NULL,
  lease_start TEXT NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE trust_audit (
  key INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  old_key TEXT NOT NULL,
  new_key TEXT,
  actor TEXT NOT NULL,
  reason TEXT
) STRICT;
CREATE TABLE host_certificates (
  name TEXT NOT NULL,
  port INTEGER NOT NULL,
  key_type TEXT NOT NULL,
  serial TEXT NOT NULL,
  key_id TEXT NOT NULL,
  principals TEXT NOT NULL,
  valid_from INTEGER,
  valid_until INTEGER,
  authority TEXT NOT NULL,
  seen_at INTEGER NOT NULL,
  PRIMARY KEY (name, port)
) STRICT;
CREATE TABLE operations (
  seq INTEGER PRIMARY KEY,
  hash TEXT NOT NULL,
  entry TEXT NOT NULL,
  at INTEGER GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.at') END) VIRTUAL,
  kind TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.kind') END) VIRTUAL,
  host_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.host.id') END) VIRTUAL,
  run_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.runId') END) VIRTUAL,
  call_id TEXT GENERATED ALWAYS AS (CASE WHEN json_valid(entry) THEN json_extract(entry, '$.callId') END) VIRTUAL
) STRICT;
CREATE INDEX operations_by_time ON operations (at);
CREATE INDEX operations_by_host ON operations (host_id, seq) WHERE host_id IS NOT NULL;
CREATE INDEX operations_by_run ON operations (run_id, call_id, kind) WHERE run_id IS NOT NULL;
CREATE TABLE operations_anchor (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  seq INTEGER NOT NULL,
  hash TEXT NOT NULL
) STRICT;
CREATE TABLE transfers (
  id TEXT PRIMARY KEY,
  added_at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  lease_window TEXT,
  lease_machine TEXT,
  lease_pid INTEGER,
  lease_start TEXT,
  renewed_at INTEGER
) STRICT;
CREATE INDEX transfers_by_age ON transfers (added_at);
INSERT INTO operations_anchor (one, seq, hash) VALUES (1, 0, '0000000000000000000000000000000000000000000000000000000000000000');
CREATE TRIGGER operations_at_the_end BEFORE INSERT ON operations
WHEN new.seq <> 1 + coalesce((SELECT max(seq) FROM operations), (SELECT seq FROM operations_anchor))
BEGIN SELECT raise(ABORT, 'operations are only added at the end'); END;
CREATE TRIGGER operations_stay BEFORE UPDATE ON operations
BEGIN SELECT raise(ABORT, 'operations are only added'); END;
CREATE TRIGGER operations_remain BEFORE DELETE ON operations
WHEN old.seq > (SELECT seq FROM operations_anchor)
BEGIN SELECT raise(ABORT, 'operations are only added'); END;
CREATE TRIGGER operations_anchor_moves BEFORE UPDATE ON operations_anchor
WHEN new.seq <= old.seq OR NOT EXISTS (SELECT 1 FROM operations WHERE seq = new.seq AND hash = new.hash)
BEGIN SELECT raise(ABORT, 'the anchor of the operations only moves to one of them'); END;
CREATE TRIGGER operations_anchor_remains BEFORE DELETE ON operations_anchor
BEGIN SELECT raise(ABORT, 'the anchor of the operations stays'); END;
CREATE TABLE grants (
  id TEXT PRIMARY KEY,
  conversation_id TEXT NOT NULL REFERENCES conversations (id) ON DELETE CASCADE,
  shape TEXT NOT NULL,
  payload TEXT NOT NULL,
  given_at INTEGER NOT NULL,
  UNIQUE (conversation_id, shape)
) STRICT;
INSERT INTO hosts (id, revision, record) VALUES ('00000000-0000-4000-8000-000000000001', 1, '{"id":"00000000-0000-4000-8000-000000000001","label":"db1","addresses":["192.0.2.7","2001:db8::7"],"port":2222,"user":"deploy","identity":{"kind":"password"},"tier":"prod","group":"eu","tags":["db"]}');
INSERT INTO host_facts (host_id, facts) VALUES ('00000000-0000-4000-8000-000000000001', '{"os":"Linux","loginShell":"bash","shellFamily":"posix","home":"/root"}');
INSERT INTO connects (id, host_id, at, ok) VALUES (1, '00000000-0000-4000-8000-000000000001', 5, 1);
INSERT INTO known_hosts (name, port, key_type, key_base64, origin, added_at, last_used_at, marker) VALUES ('db1.example.com', 22, 'ssh-ed25519', 'AAAAC3NzaC1lZDI1NTE5AAAAIDummyKey1', 'asked', 7, NULL, NULL);
INSERT INTO conversations (id, title, system_prompt, permission_mode, model_ref, pinned, archived, created_at, updated_at, parent, message_count, cuts, planning, place) VALUES ('00000000-0000-4000-8000-000000000002', 'Disk', 'You operate servers.', 'ask', 'lab/model', 0, 0, 1700000000000, 1700000000000, NULL, 3, 0, 1, 2.5);
INSERT INTO runs (id, conversation_id, state, started_at, ended_at, failure, lease_window, lease_machine, lease_pid, lease_start, renewed_at) VALUES ('00000000-0000-4000-8000-000000000003', '00000000-0000-4000-8000-000000000002', 'callingTools', 1, NULL, NULL, 'window', 'elsewhere', 1, 'x', 1700000000000);
INSERT INTO messages (key, conversation_id, ordinal, id, run_id, role, payload) VALUES (1, '00000000-0000-4000-8000-000000000002', 65536, '00000000-0000-4000-8000-000000000004', '00000000-0000-4000-8000-000000000003', 'user', '{"role":"user","id":"00000000-0000-4000-8000-000000000004","runId":"00000000-0000-4000-8000-000000000003","createdAt":1700000000000,"text":"Why is it full?","images":[{"mediaType":"image/png","base64":"iVBORw0KGgo="}],"origin":{"kind":"person"},"context":{"folder":"none"}}');
INSERT INTO messages (key, conversation_id, ordinal, id, run_id, role, payload) VALUES (2, '00000000-0000-4000-8000-000000000002', 131072, '00000000-0000-4000-8000-000000000005', '00000000-0000-4000-8000-000000000003', 'assistant', '{"role":"assistant","id":"00000000-0000-4000-8000-000000000005","runId":"00000000-0000-4000-8000-000000000003","createdAt":1700000000001,"text":"I look.","reasoning":"Look first.","reasoningMs":12,"calls":[{"id":"call_1","name":"ssh_exec_run","argumentsText":"{\"command\":\"df -h\"}"},{"id":"call_2","name":"ssh_exec_run","argumentsText":"{\"command\":\"df -h\"}"}],"providerItems":[{"tag":"lab/chat/model","item":{"signature":["x",null,1]}}],"stop":"toolCalls","usage":{"inputTokens":10,"outputTokens":2,"cachedInputTokens":5,"cacheWriteTokens":1,"estimated":true}}');
INSERT INTO messages (key, conversation_id, ordinal, id, run_id, role, payload) VALUES (3, '00000000-0000-4000-8000-000000000002', 131073, 'c893f1eb-122d-2fe2-d41a-bb832deaa561', '00000000-0000-4000-8000-000000000003', 'tool', '{"role":"tool","id":"c893f1eb-122d-2fe2-d41a-bb832deaa561","runId":"00000000-0000-4000-8000-000000000003","createdAt":1700000000002,"callId":"call_1","toolName":"ssh_exec_run","text":"Filesystem","isError":false,"outcome":"succeeded","durationMs":31,"presentation":{"exit":0,"lines":["a",null]}}');
INSERT INTO calls (key, conversation_id, run_id, call_id, slot, proposed, review, dispatched, result, answered, plan_outcome) VALUES (1, '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', 'call_1', 131073, NULL, NULL, 0, NULL, 1, 'discarded');
INSERT INTO calls (key, conversation_id, run_id, call_id, slot, proposed, review, dispatched, result, answered, plan_outcome) VALUES (2, '00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000003', 'call_2', 131074, NULL, NULL, 1, '{"role":"tool","id":"26088183-e8ae-a70c-a993-f3ce898a310d","runId":"00000000-0000-4000-8000-000000000003","createdAt":1700000000002,"callId":"call_2","toolName":"ssh_exec_run","text":"late","isError":false,"outcome":"succeeded","durationMs":31,"presentation":{"exit":0,"lines":["a",null]}}', 0, NULL);
INSERT INTO message_texts (key, is_indexed, conversation, text) VALUES (1, 0, '00000000000040008000000000000002', 'Why is it full?');
INSERT INTO message_texts (key, is_indexed, conversation, text) VALUES (2, 0, '00000000000040008000000000000002', 'I look.');
INSERT INTO message_texts (key, is_indexed, conversation, text) VALUES (3, 0, '00000000000040008000000000000002', 'Filesystem');
INSERT INTO request_parts (number, conversation_id, bytes, item_id, hash, body) VALUES (7, '00000000-0000-4000-8000-000000000002', 84, '00000000-0000-4000-8000-000000000004', '793ce37fd231ee084ed0ce60a993b67c8ed863a143039cd2646feddb87394fb5', '{"id":"00000000-0000-4000-8000-000000000004","role":"user","text":"Why is it full?"}');
INSERT INTO request_log (key, conversation_id, last_part, bytes, at, parts, entry) VALUES (1, '00000000-0000-4000-8000-000000000002', 7, 145, 1700000000000, '[[7,7]]', '{"kind":"request","requestId":"r1","runId":"00000000-0000-4000-8000-000000000003","at":1700000000000,"model":"lab/model","purpose":"turn"}');
INSERT INTO inbox (conversation_id, position, id, payload, in_flight) VALUES ('00000000-0000-4000-8000-000000000002', 1, '00000000-0000-4000-8000-000000000006', '{"role":"user","id":"00000000-0000-4000-8000-000000000006","runId":"00000000-0000-4000-8000-000000000003","createdAt":1700000000000,"text":"And now?","images":[{"mediaType":"image/png","base64":"iVBORw0KGgo="}],"origin":{"kind":"person"},"context":{"folder":"none"}}', 0);
INSERT INTO compactions (conversation_id, message_id, boundary, summary, created_at, facts) VALUES ('00000000-0000-4000-8000-000000000002', '00000000-0000-4000-8000-000000000007', '00000000-0000-4000-8000-000000000004', '# Goal', 2, 'Hosts:
db1');
INSERT INTO changes (area, revision) VALUES ('hosts', 3);
INSERT INTO changes (area, revision) VALUES ('knownHosts', 4);
INSERT INTO changes (area, revision) VALUES ('conversations', 11);
INSERT INTO changes (area, revision) VALUES ('transfers', 0);
INSERT INTO text_backlog (below) VALUES (0);
INSERT INTO forward_leases (forward_id, lease_window, lease_machine, lease_pid, lease_start, renewed_at) VALUES ('00000000-0000-4000-8000-000000000008', 'window', 'elsewhere', 1, 'x', 1700000000000);
INSERT INTO trust_audit (key, at, name, port, old_key, new_key, actor, reason) VALUES (1, 6, 'db1.example.com', 22, 'ssh-ed25519 SHA256:old', 'ssh-ed25519 SHA256:new', 'person', 'set up anew');
INSERT INTO host_certificates (name, port, key_type, serial, key_id, principals, valid_from, valid_until, authority, seen_at) VALUES ('db1.example.com', 22, 'ssh-ed25519', '18446744073709551615', 'db1 2026', '["db1.example.com"]', NULL, 1700000000000, 'SHA256:authority', 8);
INSERT INTO operations (seq, hash, entry) VALUES (1, '2621bc286cc45a85c5e2dcfe1ffd19f6d2aaf7156db68fe27e11c4b165d21339', '{"actor":"person","at":1700000000000,"facts":{},"host":{"address":"192.0.2.7:2222","id":"00000000-0000-4000-8000-000000000001","label":"db1","tier":"prod","user":"deploy"},"kind":"act","previous":"0000000000000000000000000000000000000000000000000000000000000000","seq":1,"what":"connected","window":"window"}');
INSERT INTO operations (seq, hash, entry) VALUES (2, 'ad7c4eef1a7acd387bbf36e6a1520d49d7d95578066a56bc7ee4a5de2459a5e6', '{"action":{"arguments":{"command":"df -h"},"details":[],"digest":"d","text":"df -h"},"actor":"assistant","at":1700000000000,"callId":"call_1","conversation":{"id":"00000000-0000-4000-8000-000000000002","title":"Disk"},"ground":{"kind":"proof"},"host":{"address":"192.0.2.7:2222","id":"00000000-0000-4000-8000-000000000001","label":"db1","tier":"prod","user":"deploy"},"kind":"callStarted","mode":"ask","previous":"2621bc286cc45a85c5e2dcfe1ffd19f6d2aaf7156db68fe27e11c4b165d21339","runId":"00000000-0000-4000-8000-000000000003","seq":2,"tool":"ssh_exec_run","window":"window"}');
INSERT INTO operations (seq, hash, entry) VALUES (3, '69cfce27b304a251ebd8ebe8a5784889aedacdd719e54f21cc4a2d8d1b36d7a6', '{"actor":"assistant","at":1700000000000,"callId":"call_1","conversation":{"id":"00000000-0000-4000-8000-000000000002","title":"Disk"},"exitCode":0,"host":{"address":"192.0.2.7:2222","id":"00000000-0000-4000-8000-000000000001","label":"db1","tier":"prod","user":"deploy"},"isInferred":false,"kind":"callEnded","outcome":"succeeded","previous":"ad7c4eef1a7acd387bbf36e6a1520d49d7d95578066a56bc7ee4a5de2459a5e6","runId":"00000000-0000-4000-8000-000000000003","seq":3,"tool":"ssh_exec_run","window":"window"}');
INSERT INTO grants (id, conversation_id, shape, payload, given_at) VALUES ('00000000-0000-4000-8000-000000000009', '00000000-0000-4000-8000-000000000002', '{"key":{"command":"systemctl restart app"},"targetId":"00000000-0000-4000-8000-000000000001","tool":"ssh_exec_run"}', '{"id":"00000000-0000-4000-8000-000000000009","shape":{"tool":"ssh_exec_run","targetId":"00000000-0000-4000-8000-000000000001","key":{"command":"systemctl restart app"},"action":"systemctl restart app","target":"db1"},"givenAt":7}', 7);
INSERT INTO transfers (id, added_at, payload, lease_window, lease_machine, lease_pid, lease_start, renewed_at) VALUES ('00000000-0000-4000-8000-00000000000a', 1700000000000, '{"id":"00000000-0000-4000-8000-00000000000a","kind":"folder","from":{"k":"local","folder":"/home/deploy/site","path":[]},"to":{"k":"remote","host":"00000000-0000-4000-8000-000000000001","path":"/srv/site"},"policy":"ask","verify":false,"by":"person","state":"running","addedAt":1700000000000,"startedAt":1700000000001,"starts":1,"doneBytes":5,"totalBytes":10,"doneFiles":1,"totalFiles":3,"skippedFiles":0,"failedFiles":1,"failures":[{"path":"/home/deploy/site/a","fault":{"code":"denied","stage":"sftp","facts":{"path":"/srv/site/a"},"retry":"user","outcome":"failed"}}],"renamed":[],"changedFiles":0}', 'window', 'elsewhere', 1, 'x', 1700000000000);
