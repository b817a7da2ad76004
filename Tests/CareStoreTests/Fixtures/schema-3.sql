-- A store that version 0.1 made, with schema 3.
BEGIN TRANSACTION;
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
CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
INSERT INTO "grdb_migrations" VALUES('1: versions, outcomes, samples, devices');
INSERT INTO "grdb_migrations" VALUES('2: calibrations');
INSERT INTO "grdb_migrations" VALUES('3: what opens a device''s data');
CREATE TABLE outcome (
  number INTEGER PRIMARY KEY,
  -- This version's own id.
  uuid TEXT NOT NULL UNIQUE,
  -- The version of the task that owns the event; it may arrive later from a peer.
  task_uuid TEXT NOT NULL,
  -- The event's index in that version's schedule.
  occurrence INTEGER NOT NULL CHECK (occurrence >= 0),
  -- The event's span, copied when the outcome was made, µs since 1970.
  start_date INTEGER NOT NULL,
  end_date INTEGER NOT NULL,
  -- When this version was made, µs since 1970.
  created_date INTEGER NOT NULL,
  -- When the outcome was deleted, µs since 1970: this version is a tombstone.
  deleted_date INTEGER,
  -- 1 once another version follows; the edge says which.
  is_superseded INTEGER NOT NULL DEFAULT 0 CHECK (is_superseded IN (0, 1)),
  revision INTEGER NOT NULL REFERENCES revision (number)
) STRICT;
INSERT INTO "outcome" VALUES(1,'7DCD4A16-FDE1-41B0-9B1B-F05D9154D484','86056945-F7B0-4D03-9AF9-6A74F0A0B323',37,1795104000000000,1795107600000000,1795317710419160,NULL,0,1);
INSERT INTO "outcome" VALUES(2,'6AFFED53-F907-451B-9C55-07B4C0AC3F86','86056945-F7B0-4D03-9AF9-6A74F0A0B323',39,1795190400000000,1795194000000000,1795317710505274,NULL,0,1);
INSERT INTO "outcome" VALUES(3,'1524B867-AAEA-4C59-A827-378661F9B5AF','DBE76AF5-E3FD-40F1-9EAB-078C869776DC',18,1795118400000000,1795122000000000,1795317710608647,NULL,1,1);
INSERT INTO "outcome" VALUES(4,'EF82DDCF-5EF3-4373-B95A-558793CC6076','DBE76AF5-E3FD-40F1-9EAB-078C869776DC',18,1795118400000000,1795122000000000,1795317711678479,NULL,0,1);
INSERT INTO "outcome" VALUES(5,'C96B45F0-ED41-4A28-9502-1BE8F25677A9','DBE76AF5-E3FD-40F1-9EAB-078C869776DC',17,1795032000000000,1795035600000000,1795317711835491,NULL,1,1);
INSERT INTO "outcome" VALUES(6,'34248186-D9C7-4008-ABD3-7FD38DD0312A','DBE76AF5-E3FD-40F1-9EAB-078C869776DC',17,1795032000000000,1795035600000000,1795317712633021,1795317712633021,0,1);
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
  provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
  -- The identity of the sample it was read from, where one is recorded.
  sample TEXT,
  PRIMARY KEY (outcome, position)
) STRICT, WITHOUT ROWID;
INSERT INTO "outcome_value" VALUES(1,0,'boolean',1,NULL,NULL,1795317710419160,'manual',NULL);
INSERT INTO "outcome_value" VALUES(2,0,'integer',2,NULL,NULL,1795317710505274,'manual',NULL);
INSERT INTO "outcome_value" VALUES(3,0,'integer',30,'min',NULL,1795317710608647,'manual',NULL);
INSERT INTO "outcome_value" VALUES(4,0,'integer',31,'min',NULL,1795317711678479,'manual',NULL);
INSERT INTO "outcome_value" VALUES(5,0,'boolean',1,NULL,NULL,1795317711835491,'manual',NULL);
CREATE TABLE revision (
  -- What rows refer to.
  number INTEGER PRIMARY KEY,
  -- The knowledge vector: {"processes":[{"clock":1,"id":"<uuid>"}]}, sorted by id.
  vector TEXT NOT NULL UNIQUE CHECK (json_valid(vector))
) STRICT;
INSERT INTO "revision" VALUES(1,'{"processes":[{"clock":1,"id":"D131CD74-3E00-4B17-86E8-006B368A889A"}]}');
CREATE TABLE sample (
  -- Grows with every row: the order of storing.
  number INTEGER PRIMARY KEY,
  -- What makes it the same sample when it is sent again; known also after deletion.
  identity TEXT NOT NULL UNIQUE,
  -- Whose it is; NULL in the unassigned tray.
  patient TEXT,
  -- Why it is nobody's, for people.
  unassigned_reason TEXT,
  -- The name in the registry, and the value in its canonical unit.
  quantity TEXT NOT NULL,
  value REAL NOT NULL,
  -- The value as sent and its UCUM code, where the device speaks another unit.
  source_value REAL,
  source_unit TEXT,
  -- The measured span, µs since 1970; equal for an instant.
  start_date INTEGER NOT NULL,
  end_date INTEGER NOT NULL CHECK (end_date >= start_date),
  -- When it was heard, µs since 1970.
  arrival_date INTEGER NOT NULL,
  -- What the device's clock said, without a zone; kept also when it is not believed.
  device_time TEXT,
  is_clock_trusted INTEGER NOT NULL CHECK (is_clock_trusted IN (0, 1)),
  -- The device's address, the definition that read it, its user slot.
  device TEXT NOT NULL,
  definition TEXT,
  user_index INTEGER,
  provenance TEXT NOT NULL CHECK (provenance IN ('passive', 'active', 'manual')),
  -- Which of a measurement's values it is.
  kind TEXT,
  -- The frame it was read from.
  raw BLOB NOT NULL,
  -- When it was deleted, µs since 1970.
  deleted_date INTEGER,
  -- Stamped again when the sample is assigned or deleted: a sample changes in place, since its
  -- identity is the same in every store.
  revision INTEGER NOT NULL REFERENCES revision (number)
) STRICT;
INSERT INTO "sample" VALUES(1,'5C:CA:D3:70:D4:A2|bodyMass|2026-11-20T07:09:54|0||0224ea070b1407093600000640','john',NULL,'bodyMass',81.95,NULL,NULL,1795187394000000,1795187394000000,1795187394200000,'2026-11-20T07:09:54',1,'5C:CA:D3:70:D4:A2','xiaomi-mi-scale-2',NULL,'passive',NULL,X'0224EA070B1407093600000640',NULL,1);
INSERT INTO "sample" VALUES(2,'5c:ca:d3:70:d4:a2|impedance|2026-11-20T07:09:54|0||0226ea070b14070936f7010640',NULL,'it was measured with a weight that is unassigned','impedance',503.0,NULL,NULL,1795187394000000,1795187394000000,1795187398000000,'2026-11-20T07:09:54',1,'5c:ca:d3:70:d4:a2','xiaomi-mi-scale-2',NULL,'passive',NULL,X'0226EA070B14070936F7010640',1795187399000000,1);
INSERT INTO "sample" VALUES(3,'D2:4F:71:00:00:03|heartRate|a1795187400000000|0||','john',NULL,'heartRate',70.0,NULL,NULL,1795187400000000,1795187400000000,1795187400000000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0046',NULL,1);
INSERT INTO "sample" VALUES(4,'D2:4F:71:00:00:03|heartRate|a1795187401003000|0||','john',NULL,'heartRate',71.0,NULL,NULL,1795187401003000,1795187401003000,1795187401003000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0047',NULL,1);
INSERT INTO "sample" VALUES(5,'D2:4F:71:00:00:03|heartRate|a1795187402006000|0||','john',NULL,'heartRate',72.0,NULL,NULL,1795187402006000,1795187402006000,1795187402006000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0048',1795187403006000,1);
INSERT INTO "sample" VALUES(6,'D2:4F:71:00:00:03|heartRate|a1795187403009000|0||','john',NULL,'heartRate',73.0,NULL,NULL,1795187403009000,1795187403009000,1795187403009000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0049',NULL,1);
INSERT INTO "sample" VALUES(7,'D2:4F:71:00:00:03|heartRate|a1795187404012000|0||','john',NULL,'heartRate',74.0,NULL,NULL,1795187404012000,1795187404012000,1795187404012000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004A',NULL,1);
INSERT INTO "sample" VALUES(8,'D2:4F:71:00:00:03|heartRate|a1795187405015000|0||','john',NULL,'heartRate',75.0,NULL,NULL,1795187405015000,1795187405015000,1795187405015000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004B',NULL,1);
INSERT INTO "sample" VALUES(9,'D2:4F:71:00:00:03|heartRate|a1795187406018000|0||','john',NULL,'heartRate',76.0,NULL,NULL,1795187406018000,1795187406018000,1795187406018000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004C',NULL,1);
INSERT INTO "sample" VALUES(10,'D2:4F:71:00:00:03|heartRate|a1795187407021000|0||','john',NULL,'heartRate',77.0,NULL,NULL,1795187407021000,1795187407021000,1795187407021000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004D',NULL,1);
INSERT INTO "sample" VALUES(11,'D2:4F:71:00:00:03|heartRate|a1795187408024000|0||','john',NULL,'heartRate',78.0,NULL,NULL,1795187408024000,1795187408024000,1795187408024000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004E',NULL,1);
INSERT INTO "sample" VALUES(12,'D2:4F:71:00:00:03|heartRate|a1795187409027000|0||','john',NULL,'heartRate',70.0,NULL,NULL,1795187409027000,1795187409027000,1795187409027000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0046',NULL,1);
INSERT INTO "sample" VALUES(13,'D2:4F:71:00:00:03|heartRate|a1795187410030000|0||','john',NULL,'heartRate',71.0,NULL,NULL,1795187410030000,1795187410030000,1795187410030000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0047',NULL,1);
INSERT INTO "sample" VALUES(14,'D2:4F:71:00:00:03|heartRate|a1795187411033000|0||','john',NULL,'heartRate',72.0,NULL,NULL,1795187411033000,1795187411033000,1795187411033000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0048',NULL,1);
INSERT INTO "sample" VALUES(15,'D2:4F:71:00:00:03|heartRate|a1795187412036000|0||','john',NULL,'heartRate',73.0,NULL,NULL,1795187412036000,1795187412036000,1795187412036000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0049',NULL,1);
INSERT INTO "sample" VALUES(16,'D2:4F:71:00:00:03|heartRate|a1795187413039000|0||','john',NULL,'heartRate',74.0,NULL,NULL,1795187413039000,1795187413039000,1795187413039000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004A',NULL,1);
INSERT INTO "sample" VALUES(17,'D2:4F:71:00:00:03|heartRate|a1795187414042000|0||','john',NULL,'heartRate',75.0,NULL,NULL,1795187414042000,1795187414042000,1795187414042000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004B',NULL,1);
INSERT INTO "sample" VALUES(18,'D2:4F:71:00:00:03|heartRate|a1795187415045000|0||','john',NULL,'heartRate',76.0,NULL,NULL,1795187415045000,1795187415045000,1795187415045000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004C',NULL,1);
INSERT INTO "sample" VALUES(19,'D2:4F:71:00:00:03|heartRate|a1795187416048000|0||','john',NULL,'heartRate',77.0,NULL,NULL,1795187416048000,1795187416048000,1795187416048000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004D',NULL,1);
INSERT INTO "sample" VALUES(20,'D2:4F:71:00:00:03|heartRate|a1795187417051000|0||','john',NULL,'heartRate',78.0,NULL,NULL,1795187417051000,1795187417051000,1795187417051000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'004E',NULL,1);
INSERT INTO "sample" VALUES(21,'D2:4F:71:00:00:03|heartRate|a1795187418054000|0||','john',NULL,'heartRate',70.0,NULL,NULL,1795187418054000,1795187418054000,1795187418054000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0046',NULL,1);
INSERT INTO "sample" VALUES(22,'D2:4F:71:00:00:03|heartRate|a1795187419057000|0||','john',NULL,'heartRate',71.0,NULL,NULL,1795187419057000,1795187419057000,1795187419057000,NULL,1,'D2:4F:71:00:00:03','sig-heart-rate',NULL,'passive',NULL,X'0047',NULL,1);
CREATE TABLE store (
  -- One row only.
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- This store's own id in knowledge vectors.
  process TEXT NOT NULL,
  -- The vector that is current: rows are stamped with it as they are written.
  revision INTEGER NOT NULL REFERENCES revision (number),
  -- The IANA zone of the plan that was imported last.
  plan_time_zone TEXT,
  -- Grows with every import that changes anything, so that a reader need not look for itself.
  plan_revision INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO "store" VALUES(1,'D131CD74-3E00-4B17-86E8-006B368A889A',1,'America/Los_Angeles',2);
CREATE TABLE version (
  -- Grows with every row: which of two equals was stored last.
  number INTEGER PRIMARY KEY,
  -- This version's own id.
  uuid TEXT NOT NULL UNIQUE,
  type TEXT NOT NULL
    CHECK (type IN ('patient', 'task', 'carePlan', 'contact', 'note')),
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
  -- What it says, as JSON with sorted keys.
  payload TEXT NOT NULL CHECK (json_valid(payload)),
  revision INTEGER NOT NULL REFERENCES revision (number)
) STRICT;
INSERT INTO "version" VALUES(1,'AFD5FC3E-DCD1-4A4D-B49D-5493BC6C5B8F','patient','john','john',1795317708484088,1795317708484088,NULL,'{"expects":{"bodyMass":{"value":61}},"id":"john","name":{"given":"John"}}',1);
INSERT INTO "version" VALUES(2,'7BF5F2C5-FC6C-4FC6-8F68-6215AB326407','patient','jane','jane',1795317708484088,1795317708484088,NULL,'{"expects":{},"id":"jane","name":{"given":"Jane"}}',1);
INSERT INTO "version" VALUES(3,'2161DDBE-2F1B-4204-BDF1-A2ED4EC9505B','task','john','weigh-in',1793516400000000,1795317708484088,NULL,'{"id":"weigh-in","kind":"task","linkage":{"quantity":"bodyMass","type":"discrete","unit":"kg"},"optional":false,"patient":"john","resettable":false,"schedule":[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T07:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Weigh yourself"}',1);
INSERT INTO "version" VALUES(4,'C05A685D-474A-4C0B-BE23-0244BE2923DD','task','john','pulse',1793516400000000,1795317708484088,NULL,'{"id":"pulse","kind":"task","linkage":{"quantity":"heartRate","type":"discrete","unit":"/min"},"optional":false,"patient":"john","resettable":false,"schedule":[{"duration":"allDay","interval":{"days":1},"start":"2026-11-01T07:00:00+00:00","targets":[{"unit":"/min","value":{"integer":150}}],"timeZone":"America/Los_Angeles"}],"title":"Wear the strap"}',1);
INSERT INTO "version" VALUES(5,'86056945-F7B0-4D03-9AF9-6A74F0A0B323','task','jane','pills',1793548800000000,1795317708484088,NULL,'{"id":"pills","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T16:00:00+00:00","timeZone":"America/Los_Angeles"},{"duration":3600,"interval":{"days":1},"start":"2026-11-01T16:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Take two pills"}',1);
INSERT INTO "version" VALUES(6,'DBE76AF5-E3FD-40F1-9EAB-078C869776DC','task','jane','walk',1793563200000000,1795317708484088,NULL,'{"id":"walk","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T20:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Walk"}',1);
INSERT INTO "version" VALUES(7,'0F07E27C-0CDB-4A29-A185-FB5796B3133A','task','jane','walk',1795317712805199,1795317712805199,NULL,'{"id":"walk","kind":"task","optional":false,"patient":"jane","resettable":false,"schedule":[{"duration":3600,"interval":{"days":1},"start":"2026-11-01T20:00:00+00:00","timeZone":"America/Los_Angeles"}],"title":"Stroll"}',1);
CREATE TABLE version_edge (
  -- The uuid of a version or outcome, and of one that follows it. Either may be unknown here.
  previous TEXT NOT NULL,
  next TEXT NOT NULL,
  PRIMARY KEY (previous, next)
) STRICT, WITHOUT ROWID;
INSERT INTO "version_edge" VALUES('DBE76AF5-E3FD-40F1-9EAB-078C869776DC','0F07E27C-0CDB-4A29-A185-FB5796B3133A');
INSERT INTO "version_edge" VALUES('C96B45F0-ED41-4A28-9502-1BE8F25677A9','34248186-D9C7-4008-ABD3-7FD38DD0312A');
INSERT INTO "version_edge" VALUES('1524B867-AAEA-4C59-A827-378661F9B5AF','EF82DDCF-5EF3-4373-B95A-558793CC6076');
CREATE INDEX version_of ON version (type, patient, id);
CREATE INDEX version_edge_back ON version_edge (next);
CREATE UNIQUE INDEX outcome_live ON outcome (task_uuid, occurrence)
  WHERE deleted_date IS NULL AND is_superseded = 0;
CREATE INDEX outcome_of ON outcome (task_uuid, occurrence);
CREATE INDEX outcome_by_time ON outcome (end_date)
  WHERE deleted_date IS NULL AND is_superseded = 0;
CREATE INDEX sample_of_quantity ON sample (patient, quantity, start_date);
CREATE INDEX sample_of_patient ON sample (patient, start_date);
CREATE INDEX sample_by_length ON sample (end_date - start_date) WHERE end_date > start_date;
CREATE UNIQUE INDEX device_binding_whole ON device_binding (address)
  WHERE user_index IS NULL;
CREATE UNIQUE INDEX device_binding_slot ON device_binding (address, user_index)
  WHERE user_index IS NOT NULL;
COMMIT;
PRAGMA application_id = 1667330661;
PRAGMA user_version = 3;
