BEGIN TRANSACTION;
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE entrant (
	tournament_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	bot VARCHAR NOT NULL, 
	version VARCHAR NOT NULL, 
	content_hash VARCHAR NOT NULL, 
	CONSTRAINT pk_entrant PRIMARY KEY (tournament_id, number), 
	CONSTRAINT fk_entrant_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
INSERT INTO "entrant" VALUES(1,0,'bot0','0.0','6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d');
INSERT INTO "entrant" VALUES(1,1,'bot1','1.0','4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a');
INSERT INTO "entrant" VALUES(1,2,'bot2','2.0','dbc1b4c900ffe48d575b5da5c638040125f65db0fe3e24494b76ea986457d986');
INSERT INTO "entrant" VALUES(1,3,'bot3','3.0','084fed08b978af4d7d196a7446a86b58009e636b611db16211b65a9aadff29c5');
CREATE TABLE result (
	match_id VARCHAR NOT NULL, 
	tournament_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	round INTEGER NOT NULL, 
	block INTEGER NOT NULL, 
	rotation INTEGER NOT NULL, 
	table_number INTEGER NOT NULL, 
	"end" VARCHAR NOT NULL, 
	replay_sha256 VARCHAR NOT NULL, 
	seconds DOUBLE NOT NULL, 
	finished_at VARCHAR NOT NULL, 
	CONSTRAINT pk_result PRIMARY KEY (match_id), 
	CONSTRAINT uq_result_tournament_id_number UNIQUE (tournament_id, number), 
	CONSTRAINT fk_result_tournament FOREIGN KEY(tournament_id) REFERENCES tournament (id)
);
INSERT INTO "result" VALUES('m0000',1,0,0,0,0,0,'two_colours','5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9',1.5,'2030-01-01T10:00:00+00:00');
INSERT INTO "result" VALUES('m0001',1,1,0,0,1,1,'two_colours','6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b',1.83333333333333325931e+00,'2030-01-01T10:00:01+00:00');
INSERT INTO "result" VALUES('m0002',1,2,1,0,2,0,'two_colours','d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35',2.16666666666666651863e+00,'2030-01-01T10:00:02+00:00');
INSERT INTO "result" VALUES('m0003',1,3,1,0,0,1,'two_colours','4e07408562bedb8b60ce05c1decfe3ad16b72230967de01f640b7e4729b49fce',2.5,'2030-01-01T10:00:03+00:00');
INSERT INTO "result" VALUES('m0004',1,4,2,0,1,0,'two_colours','4b227777d4dd1fc61c6f884f48641d02b4d121d3fd328cb08b5531fcacdabf8a',2.83333333333333303727e+00,'2030-01-01T10:00:04+00:00');
INSERT INTO "result" VALUES('m0005',1,5,2,0,2,1,'two_colours','ef2d127de37b942baad06145e54b0c619a1f22327b2ebbcfbec78f5564afe39d',3.16666666666666696272e+00,'2030-01-01T10:00:05+00:00');
INSERT INTO "result" VALUES('m0006',1,6,3,1,0,0,'two_colours','e7f6c011776e8db7cd330b54174fd76f7d0216b612387a5ffcfb81e6f0919683',3.5,'2030-01-01T10:00:06+00:00');
INSERT INTO "result" VALUES('m0009',1,9,4,1,0,1,'two_colours','19581e27de7ced00ff1ce50b2047e7a567c76b1cbaebabe5ef03f7c3017bb5b7',4.5,'2030-01-01T10:00:09+00:00');
CREATE TABLE seat_fault (
	match_id VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	reason VARCHAR NOT NULL, 
	faults INTEGER NOT NULL, 
	CONSTRAINT pk_seat_fault PRIMARY KEY (match_id, seat, reason), 
	CONSTRAINT fk_seat_fault_seat_result FOREIGN KEY(match_id, seat) REFERENCES seat_result (match_id, seat)
);
INSERT INTO "seat_fault" VALUES('m0000',2,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0000',2,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0001',0,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0001',0,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0002',2,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0002',2,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0003',1,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0003',1,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0004',2,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0004',2,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0005',0,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0005',0,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0006',2,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0006',2,'timeout',3);
INSERT INTO "seat_fault" VALUES('m0009',2,'illegal',2);
INSERT INTO "seat_fault" VALUES('m0009',2,'timeout',3);
CREATE TABLE seat_result (
	match_id VARCHAR NOT NULL, 
	seat INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	rank INTEGER NOT NULL, 
	total INTEGER NOT NULL, 
	retired BOOLEAN NOT NULL, 
	decisions INTEGER NOT NULL, 
	charged_ms INTEGER NOT NULL, 
	slowest_ms INTEGER NOT NULL, 
	refusals INTEGER NOT NULL, 
	first_fault VARCHAR NOT NULL, 
	CONSTRAINT pk_seat_result PRIMARY KEY (match_id, seat), 
	CONSTRAINT fk_seat_result_result FOREIGN KEY(match_id) REFERENCES result (match_id)
);
INSERT INTO "seat_result" VALUES('m0000',0,0,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0000',1,1,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0000',2,2,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0001',0,1,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0001',1,2,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0001',2,3,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0002',0,2,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0002',1,3,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0002',2,0,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0003',0,3,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0003',1,0,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0003',2,1,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0004',0,0,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0004',1,1,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0004',2,2,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0005',0,1,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0005',1,2,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0005',2,3,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0006',0,2,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0006',1,3,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0006',2,0,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
INSERT INTO "seat_result" VALUES('m0009',0,0,1,57,0,101,12345,678,1,'');
INSERT INTO "seat_result" VALUES('m0009',1,1,2,44,0,102,12345,678,2,'');
INSERT INTO "seat_result" VALUES('m0009',2,2,3,31,1,103,12345,678,3,'decision 7: timeout: no answer in 5 s');
CREATE TABLE standing (
	tournament_id INTEGER NOT NULL, 
	entrant INTEGER NOT NULL, 
	elo DOUBLE NOT NULL, 
	matches INTEGER NOT NULL, 
	CONSTRAINT pk_standing PRIMARY KEY (tournament_id, entrant), 
	CONSTRAINT fk_standing_entrant FOREIGN KEY(tournament_id, entrant) REFERENCES entrant (tournament_id, number)
);
INSERT INTO "standing" VALUES(1,0,1484.464804,5);
INSERT INTO "standing" VALUES(1,1,1484.320832,5);
INSERT INTO "standing" VALUES(1,2,1516.554123,6);
INSERT INTO "standing" VALUES(1,3,1514.660242,5);
CREATE TABLE tournament (
	id INTEGER NOT NULL, 
	identity VARCHAR NOT NULL, 
	name VARCHAR NOT NULL, 
	game VARCHAR NOT NULL, 
	options VARCHAR NOT NULL, 
	secret BLOB NOT NULL, 
	seats INTEGER NOT NULL, 
	started_at VARCHAR NOT NULL, 
	counted INTEGER NOT NULL, 
	CONSTRAINT pk_tournament PRIMARY KEY (id), 
	CONSTRAINT uq_tournament_identity UNIQUE (identity)
);
INSERT INTO "tournament" VALUES(1,'t1','cup','container@1','{"seats":3}',X'000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1E1F',3,'2030-01-01T10:00:00+00:00',7);
COMMIT;
