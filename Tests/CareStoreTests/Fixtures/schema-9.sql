-- The store of schema-7.sql, migrated to schema 9.
BEGIN TRANSACTION;
CREATE TABLE alias (
  old TEXT NOT NULL,
  date INTEGER NOT NULL,
  new TEXT NOT NULL,
  PRIMARY KEY (old, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE attachment (
  -- The SHA-256 digest of all parts together.
  digest BLOB NOT NULL CHECK (length(digest) = 32),
  part INTEGER NOT NULL CHECK (part >= 0),
  -- 262144 bytes; the rest in the last part.
  content BLOB NOT NULL,
  PRIMARY KEY (digest, part)
) STRICT;
CREATE TABLE audit (
  number INTEGER PRIMARY KEY,
  date INTEGER NOT NULL,
  -- What happened to the store, without names and values.
  event TEXT NOT NULL
) STRICT;
CREATE TABLE block (
  number INTEGER PRIMARY KEY,
  series INTEGER NOT NULL REFERENCES series (number),
  source INTEGER NOT NULL REFERENCES source (number),
  quantity TEXT NOT NULL,
  -- The hour of the samples' starts, counted from 1970.
  hour INTEGER NOT NULL,
  -- An hour of very many samples has several blocks.
  part INTEGER NOT NULL,
  attributed TEXT,
  reason TEXT,
  patient TEXT,
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
  -- Over all samples: the number, sum, least, most and latest value.
  count INTEGER NOT NULL,
  sum REAL NOT NULL,
  least REAL NOT NULL,
  most REAL NOT NULL,
  latest REAL NOT NULL,
  -- The earliest start, the latest start, and the latest end, µs since 1970.
  first_date INTEGER NOT NULL,
  latest_date INTEGER NOT NULL,
  last_end INTEGER NOT NULL,
  -- The packed samples; NULL while they are rows of `recent`.
  data BLOB
) STRICT;
INSERT INTO "block" VALUES(1,3,2,'heartRate',498663,0,'john',NULL,'john',0,19,1401.0,70.0,78.0,71.0,1795187400000000,1795187419057000,1795187419057000,X'0188E706F813000000B30000006270F258BC2D818DE1872F3F03183032BB41180C4C40CC0C653300C4C0F081010D00C4C0301B5D0020060639740180F000461803200626162610E06782027E26C0F0680300');
INSERT INTO "block" VALUES(2,3,2,'heartRate',498663,1,'john',NULL,'john',1,1,72.0,72.0,72.0,72.0,1795187402006000,1795187402006000,1795187402006000,X'01D562CCE10100000067000000FB70376DF1B6043606386064F680B29818A80700');
CREATE TABLE calibration (
  -- The Bluetooth address, or a recorded sensor's name.
  address TEXT NOT NULL PRIMARY KEY COLLATE NOCASE,
  method TEXT NOT NULL CHECK (method IN ('atRest', 'sixPositions')),
  -- What each axis reads without a force, in micro-g.
  offset_x INTEGER NOT NULL,
  offset_y INTEGER NOT NULL,
  offset_z INTEGER NOT NULL,
  -- What each axis is multiplied by, in units of 2^-24.
  scale_x INTEGER NOT NULL,
  scale_y INTEGER NOT NULL,
  scale_z INTEGER NOT NULL,
  -- When it was stored, µs since 1970.
  created_date INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE device_binding (
  -- The Bluetooth address, or a recorded sensor's name.
  address TEXT NOT NULL,
  -- The user slot on the device; NULL where the whole device is meant.
  user_index INTEGER,
  -- The definition to read it with; NULL to recognise it.
  definition TEXT,
  -- Whose it is; NULL where its readings tell.
  patient TEXT,
  -- Where it is worn, as JSON.
  placement TEXT CHECK (placement IS NULL OR json_valid(placement))
, key BLOB CHECK (key IS NULL OR length(key) = 16), consent_code INTEGER
  CHECK (consent_code IS NULL OR consent_code BETWEEN 0 AND 9999)) STRICT;
INSERT INTO "device_binding" VALUES('D2:4F:71:00:00:03',NULL,NULL,'john',NULL,NULL,NULL);
CREATE TABLE erasure (
  mark TEXT NOT NULL,
  date INTEGER NOT NULL,
  PRIMARY KEY (mark, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE firing (
  number INTEGER PRIMARY KEY,
  -- Derived from type, task, event and rule, so that every store names it alike.
  uuid TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN ('reminder', 'fallback', 'alert', 'rule')),
  -- The event: the task, its start (µs since 1970), its place among those that start together.
  patient TEXT NOT NULL,
  task TEXT NOT NULL,
  start_date INTEGER NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  -- When it was recorded, µs since 1970.
  created_date INTEGER NOT NULL,
  -- When a person took it back, µs since 1970.
  undone_date INTEGER,
  -- When it was due, the rule or threshold, the results and the target, as JSON.
  payload TEXT NOT NULL CHECK (json_valid(payload))
) STRICT;
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1: versions, outcomes, samples, devices');
INSERT INTO "grdb_migrations" VALUES('2: calibrations');
INSERT INTO "grdb_migrations" VALUES('3: what opens a device''s data');
INSERT INTO "grdb_migrations" VALUES('4: several writers, dense series, changes of samples');
INSERT INTO "grdb_migrations" VALUES('5: the date of the plan''s zone');
INSERT INTO "grdb_migrations" VALUES('6: firings');
INSERT INTO "grdb_migrations" VALUES('7: pictures and videos');
INSERT INTO "grdb_migrations" VALUES('8: running totals');
INSERT INTO "grdb_migrations" VALUES('9: how measurements came about');
CREATE TABLE outcome (
  number INTEGER PRIMARY KEY,
  -- This version's own id.
  uuid TEXT NOT NULL UNIQUE,
  -- The event: the task, its start (µs since 1970), its place among those that start together.
  patient TEXT NOT NULL,
  task TEXT NOT NULL,
  start_date INTEGER NOT NULL,
  ordinal INTEGER NOT NULL CHECK (ordinal >= 0),
  -- The event's end, copied when the outcome was made, µs since 1970.
  end_date INTEGER NOT NULL,
  -- Where the event was found: the version of the task, and the index in its schedule.
  task_uuid TEXT NOT NULL,
  occurrence INTEGER NOT NULL CHECK (occurrence >= 0),
  -- What the person says: done, or not done for a reason, and when, µs since 1970.
  answer TEXT NOT NULL CHECK (answer IN ('done', 'notDone')),
  reason TEXT,
  answer_date INTEGER,
  -- When this version was made, µs since 1970.
  created_date INTEGER NOT NULL,
  -- When the outcome was deleted, µs since 1970: this version is a tombstone.
  deleted_date INTEGER,
  -- 1 as long as no version follows; computed from the edges.
  is_tip INTEGER NOT NULL CHECK (is_tip BETWEEN 0 AND 1),
  writer INTEGER NOT NULL REFERENCES writer (number),
  clock INTEGER NOT NULL
) STRICT;
INSERT INTO "outcome" VALUES(1,'7DCD4A16-FDE1-41B0-9B1B-F05D9154D484','jane','pills',1795104000000000,1,1795107600000000,'86056945-F7B0-4D03-9AF9-6A74F0A0B323',37,'done',NULL,NULL,1795317710419160,NULL,1,1,8);
INSERT INTO "outcome" VALUES(2,'6AFFED53-F907-451B-9C55-07B4C0AC3F86','jane','pills',1795190400000000,1,1795194000000000,'86056945-F7B0-4D03-9AF9-6A74F0A0B323',39,'done',NULL,NULL,1795317710505274,NULL,1,1,9);
INSERT INTO "outcome" VALUES(3,'1524B867-AAEA-4C59-A827-378661F9B5AF','jane','walk',1795118400000000,0,1795122000000000,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC',18,'done',NULL,NULL,1795317710608647,NULL,0,1,10);
INSERT INTO "outcome" VALUES(4,'EF82DDCF-5EF3-4373-B95A-558793CC6076','jane','walk',1795118400000000,0,1795122000000000,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC',18,'done',NULL,NULL,1795317711678479,NULL,1,1,11);
INSERT INTO "outcome" VALUES(5,'C96B45F0-ED41-4A28-9502-1BE8F25677A9','jane','walk',1795032000000000,0,1795035600000000,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC',17,'done',NULL,NULL,1795317711835491,NULL,0,1,12);
INSERT INTO "outcome" VALUES(6,'34248186-D9C7-4008-ABD3-7FD38DD0312A','jane','walk',1795032000000000,0,1795035600000000,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC',17,'done',NULL,NULL,1795317712633021,1795317712633021,1,1,13);
CREATE TABLE outcome_value (
  outcome INTEGER NOT NULL REFERENCES outcome (number) ON DELETE CASCADE,
  -- The values keep the order in which they were given, from 0.
  position INTEGER NOT NULL CHECK (position >= 0),
  type TEXT NOT NULL
    CHECK (type IN ('integer', 'double', 'boolean', 'text', 'binary', 'date')),
  -- As SQLite's own type; a boolean is 0 or 1, a date µs since 1970.
  value ANY NOT NULL,
  -- The UCUM code, for a number.
  unit TEXT,
  -- Which of a measurement's values it is: range, finish, pain.
  kind TEXT,
  -- When it was measured or entered, µs since 1970.
  time INTEGER NOT NULL,
  provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')), media_type TEXT, byte_count INTEGER,
  PRIMARY KEY (outcome, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "outcome_value" VALUES(1,0,'boolean',1,NULL,NULL,1795317710419160,'manual',NULL,NULL);
INSERT INTO "outcome_value" VALUES(2,0,'integer',2,NULL,NULL,1795317710505274,'manual',NULL,NULL);
INSERT INTO "outcome_value" VALUES(3,0,'integer',30,'min',NULL,1795317710608647,'manual',NULL,NULL);
INSERT INTO "outcome_value" VALUES(4,0,'integer',31,'min',NULL,1795317711678479,'manual',NULL,NULL);
INSERT INTO "outcome_value" VALUES(5,0,'boolean',1,NULL,NULL,1795317711835491,'manual',NULL,NULL);
CREATE TABLE plan_import (
  number INTEGER PRIMARY KEY,
  date INTEGER NOT NULL,
  -- The uuids of the versions that it made, and the zone that it replaced, as JSON.
  content TEXT NOT NULL CHECK (json_valid(content)),
  -- 1 once it was taken back.
  is_undone INTEGER NOT NULL DEFAULT 0 CHECK (is_undone BETWEEN 0 AND 1)
) STRICT;
CREATE TABLE recent (
  block INTEGER NOT NULL REFERENCES block (number),
  start_date INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  end_date INTEGER NOT NULL,
  arrival_date INTEGER NOT NULL,
  value REAL NOT NULL,
  raw BLOB NOT NULL,
  PRIMARY KEY (block, start_date, ordinal)
) STRICT, WITHOUT ROWID;
CREATE TABLE replaced_binding (
  import INTEGER NOT NULL REFERENCES plan_import (number),
  address TEXT NOT NULL,
  user_index INTEGER,
  definition TEXT,
  patient TEXT,
  placement TEXT,
  key BLOB,
  consent_code INTEGER
) STRICT;
CREATE TABLE running_total (
  -- The device's address.
  device TEXT NOT NULL,
  -- The name in the registry.
  quantity TEXT NOT NULL,
  -- The user slot of the device; -1 without one.
  user_index INTEGER NOT NULL,
  -- What it sent last, in the quantity's canonical unit, and when, µs since 1970.
  total REAL NOT NULL,
  date INTEGER NOT NULL,
  -- A later total that nobody can have reached since; NULL if there is none.
  doubtful REAL,
  PRIMARY KEY (device, quantity, user_index)
) STRICT, WITHOUT ROWID;
CREATE TABLE sample (
  -- Grows with every row: the order of storing.
  number INTEGER PRIMARY KEY,
  -- What makes it the same sample when it arrives again: its series, time (the digits of the
  -- device's clock, or µs since 1970), place in its frame, bytes; a text for any other identity.
  series INTEGER NOT NULL REFERENCES series (number),
  time INTEGER NOT NULL,
  ordinal INTEGER NOT NULL,
  raw BLOB NOT NULL,
  identity TEXT NOT NULL,
  -- What the time is: 0 the device's clock, 1 the arrival, 2 the arrival of a broadcast.
  basis INTEGER NOT NULL CHECK (basis BETWEEN 0 AND 2),
  source INTEGER NOT NULL REFERENCES source (number),
  -- The value in the quantity's canonical unit, and as it was sent, if in another.
  value REAL NOT NULL,
  source_value REAL,
  -- The measured span, µs since 1970; equal for an instant.
  start_date INTEGER NOT NULL,
  end_date INTEGER NOT NULL CHECK (end_date >= start_date),
  -- When it was received, µs since 1970.
  arrival_date INTEGER NOT NULL,
  -- What the device's clock said, without a zone; kept also when it is not believed.
  device_time TEXT,
  is_clock_trusted INTEGER NOT NULL CHECK (is_clock_trusted BETWEEN 0 AND 1),
  -- The identity of the measured sample that a person corrected with this one.
  corrects TEXT,
  -- The patient that it was attributed to on arrival, or the reason why it was unassigned.
  attributed TEXT,
  reason TEXT,
  -- Whose it is, after every change; NULL in the unassigned tray.
  patient TEXT,
  -- 0 live, 1 deleted, 2 corrected, 3 a duplicate, 4 of none of the patients.
  state INTEGER NOT NULL CHECK (state BETWEEN 0 AND 4),
  -- The series' quantity, for the index.
  quantity TEXT NOT NULL
, context TEXT) STRICT;
INSERT INTO "sample" VALUES(1,1,20261120070954,0,X'0224EA070B1407093600000640','',0,1,81.95,NULL,1795187394000000,1795187394000000,1795187394200000,'2026-11-20T07:09:54',1,NULL,'john',NULL,'john',0,'bodyMass',NULL);
INSERT INTO "sample" VALUES(2,2,20261120070954,0,X'0226EA070B14070936F7010640','',0,1,503.0,NULL,1795187394000000,1795187394000000,1795187398000000,'2026-11-20T07:09:54',1,NULL,NULL,'it was measured with a weight that is unassigned',NULL,1,'impedance',NULL);
CREATE TABLE sample_change (
  number INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,
  -- One sample, or all of a device that start from from_date to before to_date.
  identity TEXT,
  device TEXT NOT NULL,
  from_date INTEGER,
  to_date INTEGER,
  change TEXT NOT NULL
    CHECK (change IN ('assign', 'unassign', 'disown', 'delete', 'restore')),
  patient TEXT,
  reason TEXT,
  created_date INTEGER NOT NULL,
  writer INTEGER NOT NULL REFERENCES writer (number),
  clock INTEGER NOT NULL
) STRICT;
INSERT INTO "sample_change" VALUES(1,'D346A85D-CAAE-47F0-8637-78BEDDFCAAED','5C:CA:D3:70:D4:A2|impedance|2026-11-20T07:09:54|0||0226ea070b14070936f7010640','5C:CA:D3:70:D4:A2',NULL,NULL,'delete',NULL,NULL,1795187398000000,1,14);
INSERT INTO "sample_change" VALUES(2,'3A77855D-45BD-43E9-8C61-A3C7BB8334BC','D2:4F:71:00:00:03|heartRate|a1795187402006000|0||','D2:4F:71:00:00:03',NULL,NULL,'delete',NULL,NULL,1795187402006000,1,15);
CREATE TABLE series (
  number INTEGER PRIMARY KEY,
  -- The device's address, or a recorded sensor's name.
  device TEXT NOT NULL,
  -- The name in the registry.
  quantity TEXT NOT NULL,
  -- The user slot of the device; -1 without one.
  user_index INTEGER NOT NULL,
  UNIQUE (device, quantity, user_index)
) STRICT;
INSERT INTO "series" VALUES(1,'5C:CA:D3:70:D4:A2','bodyMass',-1);
INSERT INTO "series" VALUES(2,'5C:CA:D3:70:D4:A2','impedance',-1);
INSERT INTO "series" VALUES(3,'D2:4F:71:00:00:03','heartRate',-1);
CREATE TABLE source (
  number INTEGER PRIMARY KEY,
  -- The definition that read it; which of a measurement's values it is; how it was obtained;
  -- the UCUM code of the unit in which the device sent it. Empty where there is none.
  definition TEXT NOT NULL,
  kind TEXT NOT NULL,
  provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
  unit TEXT NOT NULL,
  UNIQUE (definition, kind, provenance, unit)
) STRICT;
INSERT INTO "source" VALUES(1,'xiaomi-mi-scale-2','','passive','');
INSERT INTO "source" VALUES(2,'sig-heart-rate','','passive','');
CREATE TABLE store (
  -- One row only.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- This store's own name; a copied file takes another one before its first write.
  writer INTEGER NOT NULL REFERENCES writer (number),
  -- How many rows this writer has stamped.
  clock INTEGER NOT NULL,
  -- What tells this file from a copy of it.
  file TEXT,
  -- The IANA zone of the plan that was imported last.
  plan_time_zone TEXT,
  -- Grows with every change of the plan, so that a reader need not look for itself.
  plan_revision INTEGER NOT NULL DEFAULT 0
, plan_time_zone_date INTEGER) STRICT;
INSERT INTO "store" VALUES(1,1,15,NULL,'America/Los_Angeles',2,1795317712805199);
CREATE TABLE version (
  number INTEGER PRIMARY KEY,
  -- This version's own id: derived from its content if a plan made it, random otherwise.
  uuid TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL CHECK (type IN
    ('patient', 'task', 'carePlan', 'contact', 'note', 'message', 'order')),
  -- Whose it is; a patient is their own.
  patient TEXT NOT NULL,
  -- The same for every version of one thing, unique within its type and patient.
  id TEXT NOT NULL,
  -- From when on this version speaks for the thing, µs since 1970.
  effective_date INTEGER NOT NULL,
  -- When this version was made, µs since 1970.
  created_date INTEGER NOT NULL,
  -- When the thing was deleted, µs since 1970: this version is a tombstone.
  deleted_date INTEGER,
  -- 1 if the task ends with this version.
  is_ended INTEGER NOT NULL DEFAULT 0 CHECK (is_ended BETWEEN 0 AND 1),
  -- 1 if it outranks earlier made versions that would take effect after it.
  closes_later INTEGER NOT NULL DEFAULT 0 CHECK (closes_later BETWEEN 0 AND 1),
  -- 1 if a plan's import made it.
  is_imported INTEGER NOT NULL DEFAULT 0 CHECK (is_imported BETWEEN 0 AND 1),
  -- What it says, as JSON with sorted keys.
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  -- The row of its writer that this is.
  writer INTEGER NOT NULL REFERENCES writer (number),
  clock INTEGER NOT NULL
) STRICT;
INSERT INTO "version" VALUES(1,'AFD5FC3E-DCD1-4A4D-B49D-5493BC6C5B8F','patient','john','john',1795317708484088,1795317708484088,NULL,0,0,1,'{"expects":{"bodyMass":{"value":61}},"id":"john","name":{"given":"John"}}',1,1);
INSERT INTO "version" VALUES(2,'7BF5F2C5-FC6C-4FC6-8F68-6215AB326407','patient','jane','jane',1795317708484088,1795317708484088,NULL,0,0,1,'{"expects":{},"id":"jane","name":{"given":"Jane"}}',1,2);
INSERT INTO "version" VALUES(3,'2161DDBE-2F1B-4204-BDF1-A2ED4EC9505B','task','john','weigh-in',1793516400000000,1795317708484088,NULL,0,0,1,'{"id":"weigh-in","kind":"task","linkage":{"quantity":"bodyMass","type":"discrete","unit":"kg"},"optional":false,"patient":"john","resettable":false,"schedule":[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T07:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Weigh yourself"}',1,3);
INSERT INTO "version" VALUES(4,'C05A685D-474A-4C0B-BE23-0244BE2923DD','task','john','pulse',1793516400000000,1795317708484088,NULL,0,0,1,'{"id":"pulse","kind":"task","linkage":{"quantity":"heartRate","type":"discrete","unit":"/min"},"optional":false,"patient":"john","resettable":false,"schedule":[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T07:00:00+00:00","targets":[{"unit":"/min","value":{"integer":150}}],"timeZone":"America/Los_Angeles"}],"title":"Wear the strap"}',1,4);
INSERT INTO "version" VALUES(5,'86056945-F7B0-4D03-9AF9-6A74F0A0B323','task','jane','pills',1793548800000000,1795317708484088,NULL,0,0,1,'{"id":"pills","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T16:00:00+00:00","timeZone":"America/Los_Angeles"},{"duration":3600,"interval":{"days":1},"start":"2026-11-01T16:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Take two pills"}',1,5);
INSERT INTO "version" VALUES(6,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC','task','jane','walk',1793563200000000,1795317708484088,NULL,0,0,1,'{"id":"walk","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T20:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Walk"}',1,6);
INSERT INTO "version" VALUES(7,'0F07E27C-0CDB-4A29-A185-FB5796B3133A','task','jane','walk',1795317712805199,1795317712805199,NULL,0,0,1,'{"id":"walk","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T20:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Stroll"}',1,7);
CREATE TABLE version_edge (
  -- The uuid of a version or outcome, and of one that follows it. Either may be unknown here.
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  PRIMARY KEY (previous, next)
) STRICT, WITHOUT ROWID;
INSERT INTO "version_edge" VALUES('DBE76AF5-E3FD-40F1-9EAB-078C869776DC','0F07E27C-0CDB-4A29-A185-FB5796B3133A');
INSERT INTO "version_edge" VALUES('C96B45F0-ED41-4A28-9502-1BE8F25677A9','34248186-D9C7-4008-ABD3-7FD38DD0312A');
INSERT INTO "version_edge" VALUES('1524B867-AAEA-4C59-A827-378661F9B5AF','EF82DDCF-5EF3-4373-B95A-558793CC6076');
CREATE TABLE withdrawal (
  version TEXT NOT NULL,
  date INTEGER NOT NULL,
  is_withdrawn INTEGER NOT NULL CHECK (is_withdrawn BETWEEN 0 AND 1),
  PRIMARY KEY (version, date)
) STRICT, WITHOUT ROWID;
CREATE TABLE writer (
  -- What rows refer to.
  number INTEGER PRIMARY KEY,
  -- A store that wrote rows: this one or one that it was merged with.
  uuid TEXT NOT NULL UNIQUE
) STRICT;
INSERT INTO "writer" VALUES(1,'D131CD74-3E00-4B17-86E8-006B368A889A');
CREATE UNIQUE INDEX device_binding_whole ON device_binding (address)
  WHERE user_index IS NULL;
CREATE UNIQUE INDEX device_binding_slot ON device_binding (address, user_index)
  WHERE user_index IS NOT NULL;
CREATE INDEX version_of ON version (type, patient, id);
CREATE INDEX version_by_writer ON version (writer, clock);
CREATE INDEX version_edge_back ON version_edge (next);
CREATE INDEX outcome_of ON outcome (patient, task, start_date, ordinal);
CREATE INDEX outcome_by_start ON outcome (start_date) WHERE is_tip = 1;
CREATE INDEX outcome_by_writer ON outcome (writer, clock);
CREATE UNIQUE INDEX sample_identity ON sample (series, time, ordinal, raw, identity);
CREATE INDEX sample_of ON sample (patient, quantity, start_date);
CREATE INDEX sample_by_length ON sample (patient, quantity, end_date - start_date)
  WHERE end_date > start_date;
CREATE INDEX sample_text ON sample (identity) WHERE identity <> '';
CREATE INDEX sample_corrected ON sample (corrects) WHERE corrects IS NOT NULL;
CREATE INDEX block_of_series ON block (series, hour);
CREATE INDEX block_of ON block (patient, quantity, hour);
CREATE INDEX block_open ON block (series, hour) WHERE data IS NULL;
CREATE INDEX sample_change_of ON sample_change (identity) WHERE identity IS NOT NULL;
CREATE INDEX sample_change_of_device ON sample_change (device);
CREATE INDEX sample_change_span ON sample_change (device) WHERE identity IS NULL;
CREATE INDEX sample_change_by_writer ON sample_change (writer, clock);
CREATE INDEX firing_of ON firing (patient, task, start_date);
CREATE INDEX firing_by_date ON firing (created_date);
CREATE INDEX outcome_value_attachment ON outcome_value (value) WHERE media_type IS NOT NULL;
COMMIT;
PRAGMA application_id = 1667330661;
PRAGMA user_version = 9;
