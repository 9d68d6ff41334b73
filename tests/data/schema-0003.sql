BEGIN TRANSACTION;
CREATE TABLE accounts (
	name TEXT NOT NULL, 
	"key" TEXT NOT NULL, 
	password_hash TEXT NOT NULL, 
	rating DOUBLE NOT NULL, 
	experience INTEGER NOT NULL, 
	created DOUBLE NOT NULL, 
	last_login DOUBLE, 
	last_host TEXT, 
	last_logout DOUBLE, 
	settings TEXT NOT NULL, 
	rights TEXT NOT NULL, 
	muted_until DOUBLE, 
	erased INTEGER, 
	recovery_hash TEXT, 
	CONSTRAINT pk_accounts PRIMARY KEY (name), 
	CONSTRAINT uq_accounts_key UNIQUE ("key")
);
INSERT INTO "accounts" VALUES('Ann','ann','$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',1500.0,0,1.5,NULL,NULL,NULL,'{"toggles":{"allowpip":true,"autoboard":true,"autodouble":false,"automove":false,"bell":false,"crawford":true,"double":true,"greedy":false,"moreboards":true,"moves":false,"notify":true,"ratings":false,"ready":false,"report":true,"silent":false,"telnet":true,"wrap":false},"boardstyle":null,"linelength":0,"pagelength":0,"redoubles":0,"sortwho":"login","timezone":"Europe/Tallinn","email":null,"charset":"ascii","gagged":[],"blinded":[]}','admin',99.5,NULL,'$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA');
INSERT INTO "accounts" VALUES('bob','bob','$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',1.51721658502723471435e+03,3,1.5,98.5,'example.org',99.5,'{"toggles":{"allowpip":true,"autoboard":true,"autodouble":false,"automove":false,"bell":false,"crawford":true,"double":true,"greedy":false,"moreboards":true,"moves":false,"notify":true,"ratings":false,"ready":false,"report":true,"silent":false,"telnet":true,"wrap":false},"boardstyle":null,"linelength":0,"pagelength":0,"redoubles":0,"sortwho":"login","timezone":"UTC","email":null,"charset":"ascii","gagged":["Ann"],"blinded":[]}','',NULL,NULL,NULL);
INSERT INTO "accounts" VALUES('erased_1','erased_1','',1.48278341497276528564e+03,3,1.5,NULL,NULL,NULL,'{"toggles":{"allowpip":true,"autoboard":true,"autodouble":false,"automove":false,"bell":false,"crawford":true,"double":true,"greedy":false,"moreboards":true,"moves":false,"notify":true,"ratings":false,"ready":false,"report":true,"silent":false,"telnet":true,"wrap":false},"boardstyle":null,"linelength":0,"pagelength":0,"redoubles":0,"sortwho":"login","timezone":"UTC","email":null,"charset":"ascii","gagged":[],"blinded":[]}','',NULL,1,NULL);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0003');
CREATE TABLE audit (
	id INTEGER NOT NULL, 
	at DOUBLE NOT NULL, 
	"by" TEXT NOT NULL, 
	act TEXT NOT NULL, 
	subject TEXT NOT NULL, 
	details TEXT NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
INSERT INTO "audit" VALUES(1,15.5,'Ann','ban','bob','as asked');
INSERT INTO "audit" VALUES(2,16.5,'Ann','mute','bob','as asked');
CREATE TABLE bans (
	id INTEGER NOT NULL, 
	name TEXT, 
	network TEXT, 
	until DOUBLE, 
	reason TEXT NOT NULL, 
	"by" TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_bans PRIMARY KEY (id), 
	CONSTRAINT fk_bans_name FOREIGN KEY(name) REFERENCES accounts (name) ON UPDATE CASCADE
);
INSERT INTO "bans" VALUES(1,'bob',NULL,NULL,'noise','Ann',14.5);
INSERT INTO "bans" VALUES(2,NULL,'192.0.2.0/24',50.5,'noise','operator',14.5);
CREATE TABLE journal (
	match_id INTEGER NOT NULL, 
	seq INTEGER NOT NULL, 
	entry TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	CONSTRAINT pk_journal PRIMARY KEY (match_id, seq), 
	CONSTRAINT fk_journal_match_id FOREIGN KEY(match_id) REFERENCES matches (id)
)
 WITHOUT ROWID

;
INSERT INTO "journal" VALUES(1,0,'o 3 1',11.0);
INSERT INTO "journal" VALUES(2,0,'o 6 3',11.0);
CREATE TABLE matches (
	id INTEGER NOT NULL, 
	name_o TEXT NOT NULL, 
	name_x TEXT NOT NULL, 
	length INTEGER, 
	crawford BOOLEAN NOT NULL, 
	redoubles INTEGER NOT NULL, 
	autodoubles INTEGER NOT NULL, 
	started DOUBLE NOT NULL, 
	finished DOUBLE, 
	touched DOUBLE, 
	left_by TEXT, 
	winner TEXT, 
	score_o INTEGER, 
	score_x INTEGER, 
	CONSTRAINT pk_matches PRIMARY KEY (id), 
	CONSTRAINT fk_matches_name_o FOREIGN KEY(name_o) REFERENCES accounts (name) ON UPDATE CASCADE, 
	CONSTRAINT fk_matches_name_x FOREIGN KEY(name_x) REFERENCES accounts (name) ON UPDATE CASCADE
);
INSERT INTO "matches" VALUES(1,'erased_1','bob',3,1,0,0,10.0,20.0,11.0,'erased_1','bob',1,3);
INSERT INTO "matches" VALUES(2,'bob','Ann',3,1,0,0,10.0,NULL,NULL,NULL,NULL,NULL,NULL);
CREATE TABLE messages (
	id INTEGER NOT NULL, 
	recipient TEXT NOT NULL, 
	sender TEXT NOT NULL, 
	at DOUBLE NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_messages PRIMARY KEY (id), 
	CONSTRAINT fk_messages_recipient FOREIGN KEY(recipient) REFERENCES accounts (name) ON UPDATE CASCADE
);
INSERT INTO "messages" VALUES(2,'bob','Ann',12.25,'hello');
CREATE TABLE rating_history (
	match_id INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	rating_before DOUBLE NOT NULL, 
	rating_after DOUBLE NOT NULL, 
	experience INTEGER NOT NULL, 
	CONSTRAINT pk_rating_history PRIMARY KEY (match_id, name), 
	CONSTRAINT fk_rating_history_match_id FOREIGN KEY(match_id) REFERENCES matches (id), 
	CONSTRAINT fk_rating_history_name FOREIGN KEY(name) REFERENCES accounts (name) ON UPDATE CASCADE
);
INSERT INTO "rating_history" VALUES(1,'bob',1500.0,1.51721658502723471435e+03,3);
INSERT INTO "rating_history" VALUES(1,'erased_1',1500.0,1.48278341497276528564e+03,3);
CREATE TABLE rolls (
	first INTEGER NOT NULL, 
	second INTEGER NOT NULL, 
	times BIGINT NOT NULL, 
	CONSTRAINT pk_rolls PRIMARY KEY (first, second)
);
INSERT INTO "rolls" VALUES(1,1,0);
INSERT INTO "rolls" VALUES(1,2,0);
INSERT INTO "rolls" VALUES(1,3,0);
INSERT INTO "rolls" VALUES(1,4,0);
INSERT INTO "rolls" VALUES(1,5,0);
INSERT INTO "rolls" VALUES(1,6,0);
INSERT INTO "rolls" VALUES(2,1,0);
INSERT INTO "rolls" VALUES(2,2,0);
INSERT INTO "rolls" VALUES(2,3,0);
INSERT INTO "rolls" VALUES(2,4,0);
INSERT INTO "rolls" VALUES(2,5,0);
INSERT INTO "rolls" VALUES(2,6,0);
INSERT INTO "rolls" VALUES(3,1,0);
INSERT INTO "rolls" VALUES(3,2,0);
INSERT INTO "rolls" VALUES(3,3,0);
INSERT INTO "rolls" VALUES(3,4,0);
INSERT INTO "rolls" VALUES(3,5,0);
INSERT INTO "rolls" VALUES(3,6,0);
INSERT INTO "rolls" VALUES(4,1,0);
INSERT INTO "rolls" VALUES(4,2,0);
INSERT INTO "rolls" VALUES(4,3,0);
INSERT INTO "rolls" VALUES(4,4,0);
INSERT INTO "rolls" VALUES(4,5,0);
INSERT INTO "rolls" VALUES(4,6,0);
INSERT INTO "rolls" VALUES(5,1,0);
INSERT INTO "rolls" VALUES(5,2,0);
INSERT INTO "rolls" VALUES(5,3,0);
INSERT INTO "rolls" VALUES(5,4,0);
INSERT INTO "rolls" VALUES(5,5,0);
INSERT INTO "rolls" VALUES(5,6,0);
INSERT INTO "rolls" VALUES(6,1,0);
INSERT INTO "rolls" VALUES(6,2,0);
INSERT INTO "rolls" VALUES(6,3,2);
INSERT INTO "rolls" VALUES(6,4,0);
INSERT INTO "rolls" VALUES(6,5,0);
INSERT INTO "rolls" VALUES(6,6,0);
CREATE TABLE texts (
	"key" TEXT NOT NULL, 
	text TEXT NOT NULL, 
	CONSTRAINT pk_texts PRIMARY KEY ("key")
);
INSERT INTO "texts" VALUES('motd','Hello
ä');
CREATE INDEX ix_accounts_rating ON accounts (rating);
CREATE INDEX ix_matches_name_x ON matches (name_x, touched);
CREATE INDEX ix_matches_name_o ON matches (name_o, touched);
CREATE INDEX ix_messages_recipient ON messages (recipient);
COMMIT;
