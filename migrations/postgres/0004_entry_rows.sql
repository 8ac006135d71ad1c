-- Postgres keeps rows outside the tree of their key as it is; only SQLite's table changes.
SELECT 1;
