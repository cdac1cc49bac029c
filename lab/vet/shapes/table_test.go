package shapes

// A shape is one bug that a real program had, retold under
// testdata/src/shapes. Functions whose name begins with Bug have it, on the
// line marked BUG; lines marked ALSO are as good a place to report it. All
// other functions are correct.
type shape struct {
	name   string // folder under testdata/src/shapes
	source string // where the bug was
	class  class
	kind   kind
	optIn  bool // by a check that has to be asked for
}

// class is how far one must look to see the bug.
type class string

const (
	inside    class = "I" // within one function
	across    class = "X" // needs facts about other functions
	unclassed class = "-" // counted by itself
)

// kind is a kind of bug; kinds maps it to the checks that may report it.
type kind string

const (
	alias     kind = "alias outlives Put"
	use       kind = "use after Put"
	double    kind = "double Put"
	stale     kind = "stale defer"
	wrong     kind = "wrong slice"
	poolNew   kind = "pool.New"
	missing   kind = "missing Put"
	noReset   kind = "no Reset"
	unlimited kind = "unlimited"
	shared    kind = "given to a goroutine that outlives Put"
	mixed     kind = "mixed"
)

var table = []shape{
	{"resty421", "go-resty/resty#421", inside, alias, false},
	{"syncstorage148", "mozilla-services/go-syncstorage#148", inside, alias, false},
	{"k61044", "grafana/k6#1044", inside, alias, false},
	{"nuclei6420", "projectdiscovery/nuclei#6420", inside, alias, false},
	{"pdutils709", "projectdiscovery/utils#709", across, alias, false},
	{"fasthttp342", "valyala/fasthttp#342", inside, alias, false},
	{"fasthttp612", "valyala/fasthttp#612", inside, alias, false},
	{"fasthttp1109", "valyala/fasthttp#1109", inside, alias, false},
	{"fasthttp955", "valyala/fasthttp#955", inside, alias, false},
	{"openyurt2774", "openyurtio/openyurt#2774", inside, alias, false},
	{"storages47", "darkweak/storages#47", unclassed, alias, false},
	{"vitess8561", "vitessio/vitess#8561", across, alias, false},
	{"huma467", "danielgtaylor/huma#467", across, alias, false},
	{"mimir11408", "grafana/mimir#11408", across, alias, false},
	{"pyroscope5116", "grafana/pyroscope#5116", across, alias, false},
	{"thanos4792", "thanos-io/thanos#4792", inside, use, false},
	{"syncthing7409", "syncthing/syncthing#7409", inside, use, false},
	{"aibrix2440", "vllm-project/aibrix#2440", across, use, false},
	{"go20704", "golang/go#20704", across, shared, false},
	{"go14960", "golang/go#14960", across, shared, false},
	{"resty745", "go-resty/resty#745, CVE-2023-45286", across, double, false},
	{"gin1230", "gin-gonic/gin#1230", across, double, false},
	{"clickhousebackup670", "Altinity/clickhouse-backup#670", inside, double, false},
	{"geth28565", "ethereum/go-ethereum#28565", across, double, false},
	{"fasthttp2211", "valyala/fasthttp#2211", across, double, false},
	{"loki20969", "grafana/loki#20969", inside, stale, false},
	{"loki20978", "grafana/loki#20978", inside, stale, false},
	{"loki20981", "grafana/loki#20981", inside, stale, false},
	{"alloy5670", "grafana/alloy#5670", inside, stale, false},
	{"restic2586", "restic/restic#2586", inside, stale, false},
	{"gomysql728", "go-mysql-org/go-mysql#728", inside, stale, false},
	{"yamux47", "libp2p/go-yamux#47", across, wrong, false},
	{"glider175", "nadoo/glider#175", inside, wrong, false},
	{"dhcplb3", "facebookincubator/dhcplb#3", inside, missing, true},
	{"md5simd37", "minio/md5-simd#37", inside, poolNew, false},
	{"retention", "golang/go#23199, #27735, uber-go/zap#1130, bytedance/sonic#614", unclassed, unlimited, true},
	{"noreset", "what many users of sync.Pool forget", unclassed, noReset, true},
	{"fixedleak", "basin", unclassed, missing, false},
	{"foreign", "basin and models", unclassed, wrong, false},
	{"models", "fasthttp, zerolog, gin, grpc, bytebufferpool, bpool, go-buffer-pool, mcache", unclassed, mixed, false},
	{"basinhandles", "basin", unclassed, mixed, false},
}
