set -e
git init -q -b main --template= project
cd project
mkdir -p src alt
echo 1 > src/a.txt; echo 1 > src/b.txt; echo c > c.txt; echo other > alt/a.txt
printf '.interagent/\n' > .gitignore
echo src/a.txt > names
echo 'cp c.txt src/a.txt' > script
echo 'w src/a.txt' > edit.sed
echo '{print 2 > "src/a.txt"}' > edit.awk
printf '#!/bin/sh\ncp c.txt src/a.txt\n' > edit.sh; chmod +x edit.sh
echo 'import shutil; shutil.copy("c.txt", "src/a.txt")' > edit.py
echo 'import os; os.system("git update-ref refs/heads/main topic")' > edit_main.py
echo 'open F, ">src/a.txt"; print F 2' > edit.pl
echo 'file copy -force c.txt src/a.txt' > edit.tcl
echo 'git -C ../project commit -q --allow-empty -m x' > main.sh
echo 'echo "#" >> ../project/.interagent/team.toml' > team.sh
printf 'edit:\n\tcp c.txt src/a.txt\nmain:\n\tsh main.sh\n' > Makefile
cp Makefile edit.mk
echo 'update refs/heads/main refs/heads/topic' > refs.txt
git add .; git commit -qm first
git switch -qc other; echo other > src/a.txt; git commit -qam other
git diff main other > ../a.patch; git format-patch -q --stdout main..other > ../a.mbox
tar cf ../a.tar src/a.txt; (zip -q ../a.zip src/a.txt || true)
git switch -q main
git worktree add -q -b topic ../wt; cd ../wt
mv ../a.* .; echo topic >> c.txt; git commit -qam topic
cd ..; git clone -q --bare --template= project remote.git
git -C project remote add origin ../remote.git; git -C project fetch -q
for repository in project remote.git; do git -C $repository repack -adq; rm -rf $repository/.git/logs; done
